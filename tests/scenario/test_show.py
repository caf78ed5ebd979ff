"""What is worst about a run is on the terminal too, not only in the report."""

from __future__ import annotations

import io

from rich.console import Console

from bot.scenario.checks import Check
from bot.scenario.result import Result
from bot.scenario.show import show_result
from bot.scenario.turns import read_timeline


def test_notices_are_shown() -> None:
    stream = io.StringIO()
    holes = "the voice did not keep up: 3 holes in its audio, 0.41 s in all"
    result = Result(
        "demo", "", "finished", 0.0, 1.0, read_timeline([]), [Check("turns: 0", True, "0")],
        notices=[holes],
    )  # fmt: skip
    show_result(result, Console(file=stream, width=80))
    assert f"! {holes}" in stream.getvalue().splitlines()
