"""Guards: tools, laws, echoes and the end of a conversation are safe when the user speaks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pipecat.frames.frames import (
    InterruptionFrame,
    LLMMessagesAppendFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.utils.text.base_text_aggregator import TextType

from speech.barge_in.events import Key
from tests.core.voices import Talk, check_messages, talk
from tests.evidence.tools import OFFICE
from tests.llm.fake_server import FakeReply, Pause, call, finish, says, text

ANSWER = " ".join(f"word{number}" for number in range(20)) + "."
LAW = "This is what the law says about it and nothing else."
QUIET: dict[str, Any] = {"greeting": ""}
END_CALL = ("tests.evidence.tools:end_call",)


@pytest.fixture(autouse=True)
def office() -> None:
    OFFICE.reset()


async def answering(t: Talk, words: int = 3) -> None:
    await t.scene.until_event("session_start")
    await t.scene.hear("Go on.")
    await t.scene.until_event("heard_text", words)


async def until_all_is_heard(t: Talk, answer: str = ANSWER) -> None:
    await t.scene.until(lambda: answer in t.scene.heard)
    await t.until_free()
    await t.until_kept(answer)
    assert t.scene.heard.split() == answer.split()


async def test_a_cough_before_the_first_sound_holds_it_and_lets_it_go() -> None:
    async with talk(FakeReply([Pause(0.4), text(ANSWER), finish()]), bot=QUIET) as t:
        await t.scene.until_event("session_start")
        await t.scene.hear("Go on.")
        await t.scene.until_asked()
        await t.utter("", 0.25)
        await t.until_decided("resume")
        await until_all_is_heard(t)
        assert t.said == ["Go on."]


async def test_a_reply_that_ends_while_it_is_ducked_is_heard_to_its_end() -> None:
    async with talk(says("One two three."), bot=QUIET) as t:
        await t.scene.until_event("session_start")
        await t.scene.hear("Go on.")
        await t.scene.until_event("heard_text", 2)
        await t.utter("", 0.25)
        await until_all_is_heard(t, "One two three.")
        assert t.decided("duck") == 1


async def test_words_that_come_after_the_resume_cut() -> None:
    async with talk(says(ANSWER), says("Fine."), bot=QUIET) as t:
        t.recogniser.delay_s = 0.6
        await answering(t)
        await t.utter("Wait.", 0.25)
        await t.until_decided("resume")
        assert not t.scene.named("interrupt")
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        assert t.said == ["Go on.", "Wait."]
        assert "word19" not in t.scene.heard


@pytest.mark.parametrize("late", [False, True])
async def test_c10_its_own_words_are_no_turn(late: bool) -> None:
    async with talk(says("The meeting is on Thursday at ten."), bot=QUIET) as t:
        t.recogniser.delay_s = 0.3
        await answering(t, 7 if late else 5)
        await t.utter("the meeting is on thursday", 0.5)
        await until_all_is_heard(t, "The meeting is on Thursday at ten.")
        await asyncio.sleep(0.5)
        assert len(t.scene.server.requests) == 1
        await t.utter("is it on thursday or friday?", 0.5)
        await t.scene.until_event("llm_request", 2)


async def test_what_may_not_be_interrupted_is_heard_and_then_the_words_are_answered() -> None:
    async with talk(says("Fine."), bot=QUIET) as t:
        await t.scene.until_event("session_start")
        await t.scene.conversation.say(LAW, interruptible=False)
        await t.scene.until_event("heard_text", 2)
        await t.utter("Stop it now.", 1.0)
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        assert t.scene.heard.split() == [*LAW.split(), "Fine."]
        assert not t.scene.named("ducked")
        assert not t.scene.named("interrupt")
        await t.until_free()


async def test_the_goodbye_is_heard_though_the_user_speaks() -> None:
    async with talk(says(ANSWER), bot=QUIET | {"goodbye": "Bye bye to you."}) as t:
        await answering(t)
        speaking = asyncio.create_task(t.utter("Stop.", 1.0))
        await t.until_decided("duck")
        await t.scene.end()
        speaking.cancel()
        assert t.scene.heard.endswith("Bye bye to you. ")


async def test_cancelled_while_it_is_ducked() -> None:
    async with talk(says(ANSWER), bot=QUIET) as t:
        await answering(t)
        speaking = asyncio.create_task(t.utter("Stop.", 1.0))
        await t.until_decided("duck")
        await t.scene.cancel()
        speaking.cancel()
        assert "word19" not in t.scene.heard


@pytest.mark.parametrize("words", ["", "and what about Friday?"])
async def test_c06_a_tool_waits_while_its_answer_is_ducked(words: str) -> None:
    reply = FakeReply([Pause(0.3), call("end_call", "{}"), finish("tool_calls")])
    async with talk(reply, says("Fine."), bot=QUIET, tools=END_CALL) as t:
        await t.scene.until_event("session_start")
        await t.scene.hear("Thanks for that.")
        await t.scene.until_asked()
        await t.utter(words, 1.0 if words else 0.25)
        await t.scene.until(lambda: "Fine." in t.scene.heard)
        await t.until_free()
        assert OFFICE.calls == ([] if words else ["end_call"])
        check_messages(t.messages)


async def test_a_tool_of_the_next_answer_runs_though_the_voice_is_busy() -> None:
    reply = FakeReply([call("end_call", "{}"), finish("tool_calls")])
    async with talk(reply, says("Fine."), bot={"greeting": ANSWER}, tools=END_CALL) as t:
        await t.scene.until_event("heard_text", 2)
        t.scene.engine.gate.clear()
        await t.utter("Stop.", 0.3)
        await t.scene.conversation.say(LAW, interruptible=False)
        await t.scene.until(lambda: bool(OFFICE.calls))
        t.scene.engine.gate.set()
        await t.scene.until(lambda: "Fine." in t.scene.heard)


async def test_what_comes_late_of_a_dead_reply_is_dropped_and_counted() -> None:
    async with talk(says(ANSWER), says("Fine."), bot=QUIET) as t:
        await answering(t)
        dead = t.scene.named("tts_request")[-1].reply_id
        await t.utter("Stop.", 0.3)
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        words = TTSTextFrame("late", text_type=TextType.WORD)
        words.context_id = dead
        output = t.scene.transport.output()
        for frame in (TTSAudioRawFrame(bytes(4_800), 24_000, 1, context_id=dead), words):
            await output.queue_frame(frame, FrameDirection.DOWNSTREAM)
        await t.scene.end()
        notes = [e.fields for e in t.scene.named("note") if e.fields.get("what") == "came late"]
        assert [(note.get("audio"), note.get("text")) for note in notes] == [(1, 1)]
        assert "late" not in t.scene.heard


async def test_typed_words_are_answered_with_what_was_heard() -> None:
    async with talk(says(ANSWER), says("Fine."), bot=QUIET) as t:
        await answering(t)
        worker = t.scene.conversation.worker
        await worker.queue_frame(InterruptionFrame())
        typed = {"role": "user", "content": "What?"}
        await worker.queue_frame(LLMMessagesAppendFrame([typed], run_llm=True))
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        roles = [m["role"] for m in t.messages]
        assert roles[:4] == ["user", "assistant", "developer", "user"]


async def test_a_failed_model_and_a_failed_voice_leave_no_reply_behind() -> None:
    replies = (FakeReply(status=500), FakeReply(status=500), says("FAIL."), says("..."), says("!"))
    async with talk(*replies, bot=QUIET) as t:
        await t.scene.until_event("session_start")
        for _ in range(4):
            await t.utter("And now?", 0.4)
            await asyncio.sleep(0.8)
        await t.until_free()


async def test_always_cuts_at_the_first_voice_and_answers_after_all() -> None:
    policy = {"policy": "always"}
    async with talk(says(ANSWER), says("Fine."), bot=QUIET, barge_in=policy) as t:
        await answering(t)
        await t.utter("", 0.3)
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        assert t.said == ["Go on."]
        assert not t.scene.named("ducked")


async def test_never_lets_the_answer_be_heard() -> None:
    policy = {"policy": "never"}
    async with talk(says(ANSWER), says("Fine."), bot=QUIET, barge_in=policy) as t:
        await answering(t)
        await t.utter("Stop it.", 1.0)
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        assert t.scene.heard.split() == [*ANSWER.split(), "Fine."]


async def test_push_to_talk_hears_with_the_key_down_only() -> None:
    policy = {"policy": "push_to_talk"}
    async with talk(says(ANSWER), says("Fine."), bot={"greeting": ANSWER}, barge_in=policy) as t:
        await t.scene.until_event("heard_text", 2)
        await t.utter("Stop it.", 1.0)
        await asyncio.sleep(0.4)  # or the two are one for the recogniser
        assert not t.scene.named("interrupt")
        t.control.take(Key(t.control.now(), down=True))
        assert t.scene.named("interrupt")
        await t.utter("And now?", 0.5)
        t.control.take(Key(t.control.now(), down=False))
        await t.scene.until_event("llm_request")
        await t.until_free()
        assert t.said == ["And now?"]


async def test_pipecats_own_way_cuts_at_the_voice() -> None:
    policy = {"policy": "pipecat"}
    async with talk(says(ANSWER), says("Fine."), bot=QUIET, barge_in=policy) as t:
        await answering(t)
        await t.utter("Stop it.", 0.5)
        await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
        assert t.said == ["Go on.", "Stop it."]
