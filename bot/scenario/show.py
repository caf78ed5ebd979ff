"""A run's result on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.scenario.checks import Check
from bot.scenario.fillers import AUDIBLE, SUBSTANCE
from bot.scenario.result import Result
from bot.scenario.segments import slowest
from bot.scenario.turns import Turn

_MARKS = {True: ("✓", "green"), False: ("✗", "red")}


def show_result(result: Result, console: Console | None = None) -> None:
    """Turns with their latency, checks, notices, problems, and where the report is."""
    console = console or Console(highlight=False)
    if result.conversation.turns:
        console.print(_turns(result))
    for check in result.checks:
        console.print(_check(check))
    for notice in result.notices:
        console.print(Text(f"! {notice}", style="yellow"))
    for problem in result.problems:
        console.print(Text(f"✗ {problem}", style="red"))
    verdict, style = ("passed", "bold green") if result.passed else ("failed", "bold red")
    line = Text(f"{result.name}: ").append(verdict, style)
    console.print(line.append(f"  {result.files.get('report', '')}", "not bold"), soft_wrap=True)


def _turns(result: Result) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("", "user", "bot, as heard"):
        table.add_column(heading, overflow="fold")
    table.add_column("to first sound", justify="right")
    table.add_column("mostly")
    for number, turn in enumerate(result.conversation.turns, 1):
        table.add_row(
            str(number), Text(turn.user_text), Text(turn.heard_text), _latency(turn), _mostly(turn)
        )
    return table


def _latency(turn: Turn) -> str:
    if "audible" not in turn.times:
        return "no answer"
    if not turn.began_with_filler:
        return f"{turn.times['audible']:.2f} s"
    substance = turn.times.get(SUBSTANCE, turn.times["audible"])
    return f"{substance:.2f} s (filler {turn.times[AUDIBLE]:.2f} s)"


def _mostly(turn: Turn) -> str:
    part = slowest(turn.segments)
    return f"{part.name} {part.length:.2f} s" if part else ""


def _check(check: Check) -> Text:
    mark, colour = _MARKS[check.passed]
    turn = f"turn {check.turn}: " if check.turn else ""
    return Text(f"{mark} ", colour).append(f"{turn}{check.what}").append(f"  {check.saw}", "dim")
