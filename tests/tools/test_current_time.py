"""The time is right in the place that was meant, and an unknown place is an answer, too."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from bot.tools import ToolContext, ToolError, load_tools
from bot.tools.current_time import find_zone
from tests.support import require
from tests.tools.fakes import FakeClock, FakeVoice


@pytest.fixture(autouse=True)
def _zones() -> None:
    require(available_timezones(), "no time zone database on this machine")


async def ask(**given: object) -> dict[str, object]:
    context = ToolContext(say=FakeVoice().say, clock=FakeClock())
    (tool,) = load_tools(["current_time"], context)
    return await tool.call(given)


async def test_here() -> None:
    expected = {"time": "2:07 PM", "date": "Thursday, 5 March 2026", "place": "here"}
    for given in ({}, {"place": None}, {"place": " "}, {"place": "here"}):
        assert await ask(**given) == {"result": expected}


async def test_in_another_place_on_another_day() -> None:
    assert await ask(place="Auckland") == {
        "result": {
            "time": "3:07 AM",
            "date": "Friday, 6 March 2026",
            "place": "Auckland",
            "zone": "Pacific/Auckland",
        }
    }


async def test_an_unknown_place_can_be_said() -> None:
    said = "I do not know the time zone of Atlantis Reef. Name a large city, such as Paris."
    assert await ask(place="Atlantis Reef") == {"error": said}


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ("Europe/Paris", "Europe/Paris"),
        ("europe/paris", "Europe/Paris"),
        ("Paris, France", "Europe/Paris"),
        ("new york", "America/New_York"),
        ("San Francisco", "America/Los_Angeles"),
        ("Japan", "Asia/Tokyo"),
        ("UTC", "UTC"),
        ("Mumbai", "Asia/Kolkata"),
    ],
)
def test_places(place: str, zone: str) -> None:
    assert find_zone(place) == zone


def test_a_near_miss_is_guessed() -> None:
    with pytest.raises(ToolError, match=r"Did you mean Tokyo\?"):
        find_zone("Tokio")
