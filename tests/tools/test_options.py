"""A tool says whether words rest on it, and that its outcome is another than hoped."""

from __future__ import annotations

import pytest

from bot.tools import Retracted, Tool, ToolContext, tool_options
from bot.tools.timer import cancel_timer, set_timer
from processors.evidence import why_not


async def silent(_text: str) -> None: ...


def tool(function: object) -> Tool:
    return Tool(function, ToolContext(silent))  # type: ignore[arg-type]


def full(people: int = 2) -> object:
    """Book a table."""
    if people > 6:
        raise Retracted("no large table is free")
    return Retracted("no table is free") if people > 2 else "Booked."


def test_marked_by_decorator_or_attribute_and_not_by_default() -> None:
    assert not tool(full).evidence
    assert tool(tool_options(evidence=True)(full)).evidence
    full.evidence = False  # type: ignore[attr-defined]
    assert not tool(full).evidence
    assert tool_options()(full) is full
    assert tool(set_timer).evidence
    assert tool(cancel_timer).evidence


@pytest.mark.parametrize(
    ("people", "result"),
    [
        (2, {"result": "Booked."}),
        (4, {"retracted": "no table is free"}),
        (8, {"retracted": "no large table is free"}),
    ],
)
async def test_retracted_is_raised_or_returned(people: int, result: dict[str, str]) -> None:
    assert await tool(full).call({"people": people}) == result


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"result": "Booked."}, ""),
        ("Booked.", ""),
        (None, ""),
        ({"error": None, "price": 3}, ""),
        ({"error": "no such tool"}, "no such tool"),
        ({"retracted": "taken"}, "taken"),
    ],
)
def test_what_a_result_says(result: object, why: str) -> None:
    assert why_not(result) == why
