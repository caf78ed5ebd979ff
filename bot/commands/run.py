"""``earshot run``: a scenario through the real bot, and a report of what happened."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.common import Invocation, earshot_command

if TYPE_CHECKING:
    from bot.scenario.result import Result
    from bot.scenario.schema import Scenario

EXIT_FAILED = 1


@earshot_command(
    name="run",
    epilog="Examples:\n  earshot run tests/scenarios/first_turn.yaml --out out/first\n"
    "  earshot run my.yaml --out out/my --json | jq .turns",
)
@click.argument("file", metavar="FILE.yaml")
@click.option("--out", "out", metavar="DIR", required=True, help="Folder for the run's files.")
def command(invocation: Invocation, file: str, out: str) -> int:
    """Play a scenario to the bot and check what it does.

    DIR gets mix.wav (left the user, right the bot), timeline.jsonl, result.json and
    report.html. Exit 0 passed, 1 failed, 2 a mistake in the file.
    """
    from bot.scenario.load import load_scenario

    result = run_file(invocation, load_scenario(file), Path(out))
    if invocation.json:
        invocation.emit(result.to_json())
    else:
        from bot.scenario.show import show_result

        show_result(result)
    return 0 if result.passed else EXIT_FAILED


def run_file(invocation: Invocation, scenario: Scenario, out_dir: Path) -> Result:
    """Run ``scenario`` with the invocation's settings; everything is checked first."""
    from bot.models import ensure_models
    from bot.scenario.outputs import prepare_folder
    from bot.scenario.overrides import check_replay, expected_settings
    from bot.scenario.render import check_files

    settings = expected_settings(scenario, invocation.settings)
    check_files(scenario)
    check_replay(scenario)
    prepare_folder(out_dir)
    ensure_models(settings, invocation.secrets)
    try:
        return asyncio.run(_run(invocation, scenario, out_dir))
    except KeyboardInterrupt:
        if (out_dir / "result.json").is_file():
            _notify(f"stopped; what was recorded is in {out_dir}")
        raise


async def _run(invocation: Invocation, scenario: Scenario, out_dir: Path) -> Result:
    from bot.parts import open_parts
    from bot.scenario.overrides import replay_file, replayed, scenario_settings
    from bot.scenario.runner import run_scenario

    settings = scenario_settings(scenario, invocation.settings)
    replay = replay_file(scenario)

    def tell(line: str) -> None:
        # The replay is served on loopback: its address would pass for a configured model.
        _notify(f"LLM: a replay of {replay}" if replay and line.startswith("LLM: ") else line)

    async with (
        replayed(scenario, settings) as effective,
        open_parts(effective, invocation.secrets, notify=tell) as parts,
    ):
        progress = _notify if sys.stderr.isatty() else None
        return await run_scenario(
            scenario, effective, out_dir, parts, notify=_notify, progress=progress
        )


def _notify(line: str) -> None:
    click.echo(line, err=True)
