"""``earshot report``: the page of a run, made again from its files."""

from __future__ import annotations

from pathlib import Path

import click

from bot.commands.common import Invocation, earshot_command


@earshot_command(name="report", epilog="Examples:\n  earshot report out/first")
@click.argument("folder", metavar="DIR")
def command(invocation: Invocation, folder: str) -> None:
    """Write report.html again from the files that earshot run left in DIR."""
    from bot.report.build import build_report

    target = build_report(Path(folder))
    if invocation.json:
        invocation.emit({"report": str(target)})
    else:
        click.echo(f"{target}")
