"""Guards: public failures of area C in a whole conversation; others keep their names elsewhere."""

from __future__ import annotations

import asyncio

from pipecat.frames.frames import InterruptionFrame

from tests.core.voices import check_messages, talk
from tests.llm.fake_server import FakeReply, Pause, call, finish, says, text

TOOL = ("tests.core.waiting_tool:nap",)
CALLS = FakeReply([text("One sec. "), call("nap", "{}"), finish("tool_calls")])


async def test_c04_a_stop_before_the_first_audio_with_a_tools_result_waiting() -> None:
    async with talk(CALLS, says("I am here."), tools=TOOL, bot={"greeting": ""}) as t:
        await t.scene.until_event("session_start")
        t.scene.engine.gate.clear()
        await t.scene.hear("What is new?")
        await t.scene.until_event("tts_request")
        asyncio.get_running_loop().call_later(0.8, t.scene.engine.gate.set)
        await asyncio.sleep(0.2)
        await t.utter("hello?", 1.0)
        await t.scene.until(lambda: t.scene.heard.endswith("I am here. "))
        await t.until_free()
        await t.until_kept("I am here.")
        check_messages(t.messages)
        assert [m["role"] for m in t.messages].count("tool") == 1
        assert t.said == ["What is new?", "hello?"]


async def test_c11_of_a_reply_that_was_cut_nothing_is_left_for_the_goodbye() -> None:
    bot = {"greeting": "", "goodbye": "Goodbye, take care."}
    async with talk(FakeReply([text("Your balance is"), Pause(30)]), bot=bot) as t:
        await t.scene.until_event("session_start")
        await t.scene.hear("What is my balance?")
        await t.scene.until_event("llm_first_token")
        prepared = len(t.scene.engine.spoken)
        await t.scene.conversation.worker.queue_frame(InterruptionFrame())
        await asyncio.sleep(0.3)
        await t.scene.end()
        assert t.scene.heard.strip() == "Goodbye, take care."
        assert t.scene.engine.spoken[prepared:] == []
