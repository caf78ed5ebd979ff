"""A timer speaks once, when due, in the conversation that set it, and not after its end."""

from __future__ import annotations

import pytest

from bot.tools import Tool, ToolContext, load_tools
from bot.tools.timer import MAX_TIMERS, spoken_duration
from tests.tools.fakes import FakeClock, FakeVoice, settle


class Table:
    def __init__(self) -> None:
        self.clock, self.voice = FakeClock(), FakeVoice()
        self.context = ToolContext(say=self.voice.say, clock=self.clock)
        self.tools = {t.name: t for t in load_tools(["set_timer", "cancel_timer"], self.context)}

    async def set(self, seconds: object, label: str = "") -> dict[str, object]:
        given = {"seconds": seconds} | ({"label": label} if label else {})
        return await self.tools["set_timer"].call(given)

    async def cancel(self, **given: object) -> dict[str, object]:
        return await self.tools["cancel_timer"].call(given)


async def test_it_speaks_when_due_and_once() -> None:
    table = Table()
    assert await table.set(300, "tea") == {"result": "The tea timer is running."}
    assert await table.set(60) == {"result": "The timer of 1 minute is running."}
    await table.clock.advance(59)
    assert table.voice.said == []
    await table.clock.advance(1)
    assert table.voice.said == ["Your timer of 1 minute is done."]
    await table.clock.advance(1000)
    assert table.voice.said[1:] == ["Your tea timer is done."]


async def test_the_count_is_bounded_and_frees_when_due() -> None:
    table = Table()
    for _ in range(MAX_TIMERS):
        assert "result" in await table.set(10)
    assert "already" in str((await table.set(10))["error"])
    await table.clock.advance(10)
    assert len(table.voice.said) == MAX_TIMERS
    assert "result" in await table.set(10)


@pytest.mark.parametrize("seconds", [0, -1, 86_401, "soon", None, float("inf"), float("nan")])
async def test_impossible_times(seconds: object) -> None:
    assert "error" in await Table().set(seconds)


async def test_cancelling() -> None:
    table = Table()
    assert await table.cancel() == {"error": "No timer is running."}
    await table.set(10, "tea")
    await table.set(90)
    missing = "No such timer. Running: tea timer, timer of 1 minute and 30 seconds."
    assert await table.cancel(label="egg") == {"error": missing}
    assert await table.cancel(label="Tea") == {"result": "Cancelled: tea timer."}
    await settle()
    assert await table.cancel() == {"result": "Cancelled: timer of 1 minute and 30 seconds."}
    await settle()
    assert await table.cancel() == {"error": "No timer is running."}
    await table.clock.advance(1000)
    assert table.voice.said == []


async def test_it_ends_with_the_conversation_and_is_not_heard_in_another() -> None:
    one, other = Table(), Table()
    await one.set(10)
    await other.set(20)
    await settle()
    tool: Tool = one.tools["set_timer"]
    await tool.aclose()
    await one.clock.advance(100)
    await other.clock.advance(100)
    assert one.voice.said == []
    assert len(other.voice.said) == 1


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.5, "0.5 seconds"),
        (1, "1 second"),
        (59.6, "1 minute"),
        (60, "1 minute"),
        (90, "1 minute and 30 seconds"),
        (3600, "1 hour"),
        (3661, "1 hour, 1 minute and 1 second"),
        (86_400, "24 hours"),
    ],
)
def test_durations_are_said(seconds: float, said: str) -> None:
    assert spoken_duration(seconds) == said
