"""Guards: whenever the user cuts in, no call stays open and nothing unproven is heard (C05)."""

from __future__ import annotations

import asyncio

import pytest

from tests.evidence.sweep import table
from tests.evidence.tools import OFFICE
from tests.llm.fake_server import FakeOpenAiServer, FakeReply, Pause, call, finish, says, text

TOOL = "tests.evidence.tools:book"
LOOK, BOOKED = text("Let me look. "), text("It is booked.")
CALL = [call("book", "{}"), finish("tool_calls")]
AT_ONCE = [Pause(0), LOOK, BOOKED, *CALL]
LATER = [Pause(0), LOOK, Pause(0.05), BOOKED, *CALL]


@pytest.mark.parametrize(("events", "twice"), [(AT_ONCE, False), (LATER, True)])
async def test_the_sweep(events: list[object], twice: bool) -> None:
    OFFICE.reset()
    async with asyncio.TaskGroup() as sweep:
        for delay_ms in range(0, 201, 10):
            sweep.create_task(cut_after(delay_ms / 1000, events, twice))


async def cut_after(delay_s: float, events: list[object], twice: bool) -> None:
    reply = FakeReply(events)  # type: ignore[arg-type]
    async with FakeOpenAiServer(reply, says("Fine.")) as server, table(server, TOOL) as t:
        await t.ask("Book a table.")
        await server.streaming.wait()
        await asyncio.sleep(delay_s)
        await t.interrupt()
        if twice:
            await asyncio.sleep(0.02)
            await t.interrupt()
        await t.ask("Never mind.")
        await t.until(lambda: "Fine." in t.heard)
        assert "booked" not in t.heard
        assert t.open_calls == {}
        called = {c["id"] for m in t.context.get_messages() for c in m.get("tool_calls") or ()}
        results = [m for m in t.context.get_messages() if m.get("role") == "tool"]
        assert {m["tool_call_id"] for m in results} == called
        assert "IN_PROGRESS" not in str(results)
