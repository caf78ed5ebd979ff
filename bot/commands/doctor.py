"""``earshot doctor``: what is there, what is missing, what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from bot.commands.common import Invocation, earshot_command
from bot.doctor.check import Check, Status

MARKS: dict[Status, tuple[str, str, str]] = {
    "ok": ("✓", "ok  ", "green"),
    "warn": ("!", "warn", "yellow"),
    "fail": ("✗", "FAIL", "red"),
}
"""Mark, the word for terminals that cannot show it, colour."""


@earshot_command(
    name="doctor",
    epilog="Examples:\n  earshot doctor\n  earshot doctor --audio\n  earshot doctor --json",
)
@click.option(
    "--audio", is_flag=True, help="Play test sounds, measure echo and delay, say how to talk."
)
def command(invocation: Invocation, audio: bool) -> int:
    """Check this machine and the configuration; exit code 1 when something must be done."""
    checks = []
    for check in _all_checks(invocation, audio):
        checks.append(check)
        if not invocation.json:
            _print(check)
    failed = sum(check.status == "fail" for check in checks)
    if invocation.json:
        invocation.emit({"ok": not failed, "checks": [check.to_record() for check in checks]})
    else:
        click.echo(_verdict(failed, sum(check.status == "warn" for check in checks)))
    return 1 if failed else 0


def _all_checks(invocation: Invocation, audio: bool) -> Iterator[Check]:
    from bot.doctor.check import run_probes
    from bot.doctor.checks import all_probes
    from bot.doctor.echo import WARNING, echo_probe

    has_card = True
    for check in run_probes(all_probes(invocation.settings, invocation.secrets)):
        has_card &= check.status == "ok" or check.name not in ("microphone", "speaker")
        yield check
    if audio:
        if has_card:  # else nothing will be heard, and the measurement says why
            click.echo(WARNING, err=True)
        yield from run_probes([echo_probe(invocation.settings)])


def _print(check: Check) -> None:
    mark, word, colour = MARKS[check.status]
    shown = mark if _can_show(mark) else word
    click.echo(f"{click.style(shown, fg=colour)} {check.name}: {check.detail}")
    if check.fix and check.status != "ok":
        click.echo(f"  → {check.fix}" if _can_show("→") else f"  -> {check.fix}")


def _can_show(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _verdict(failed: int, warned: int) -> str:
    if failed:
        return f"{failed} to mend."
    return "Ready." if not warned else "Ready, with limits."
