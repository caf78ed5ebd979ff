"""Guards: a tool that was interrupted behind its lead-in is settled in the next request."""

from __future__ import annotations

from tests.core.stage import stage
from tests.llm.fake_server import FakeReply, call, finish, says, text

LEAD_IN = "Let me look that up, this takes a while, stay with me please."
CALLING = FakeReply([text(LEAD_IN), call("wait_for_ever", "{}"), finish("tool_calls")])


async def test_the_next_request_holds_its_cancellation() -> None:
    async with stage(CALLING, says("Fine."), tools=("tests.core.waiting_tool:wait_for_ever",)) as s:
        s.start()
        await s.until_event("bot_stopped")
        await s.hear("What is it?")
        await s.until(lambda: "look" in s.heard)
        await s.hear("Never mind.")
        await s.until(lambda: "Fine." in s.heard)
        await s.hear("Thanks.")
        await s.until_event("llm_request", 3)
        await s.end()
        request = s.server.requests[-1]["messages"]
        assert "IN_PROGRESS" not in str(request)
        calls = [m for m in request if m.get("tool_calls")]
        assert len(calls) == 1
        result = request[request.index(calls[0]) + 1]
        assert (result["role"], "CANCELLED" in result["content"]) == ("tool", True)
