"""Guards: what the bot says of its own accord is heard, in its turn, and once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pipecat.frames.frames import (
    InterruptionFrame,
    TTSTextFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.utils.text.base_text_aggregator import TextType

from bot import announcements
from bot.announcements import MAX_WAITING, Announcements
from processors.floor import EXPECTED_S, Floor
from tests.core.stage import stage
from tests.llm.fake_server import FakeReply, call, finish, says
from tests.tools.fakes import FakeVoice, settle


class Table:
    """Announcements on a floor whose frames the test sends."""

    def __init__(self) -> None:
        self.now = 0.0
        self.floor, self.voice = Floor(lambda: self.now), FakeVoice()
        self.announcements = Announcements(self.voice.say, self.floor)

    async def user_speaks(self) -> None:
        self.floor.note(UserStartedSpeakingFrame())
        self.floor.note(InterruptionFrame())
        await settle()

    async def user_is_done(self) -> None:
        self.floor.note(UserStoppedSpeakingFrame())
        self.now += EXPECTED_S
        await settle()
        self.floor.changed.set()  # the time is over: on a real clock the wait ends by itself
        await settle()

    async def heard(self) -> None:
        self.floor.note(TTSTextFrame("Your", text_type=TextType.WORD))
        await settle()


@asynccontextmanager
async def table() -> AsyncIterator[Table]:
    made = Table()
    running = asyncio.create_task(made.announcements.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_it_is_said_at_once_where_the_floor_is_free_and_the_next_after_it() -> None:
    async with table() as own:
        await own.announcements.say("one")
        await own.announcements.say("two")
        await settle()
        assert own.voice.said == ["one"]
        await own.heard()
        assert own.voice.said == ["one", "two"]


async def test_it_waits_for_the_user() -> None:
    async with table() as own:
        await own.user_speaks()
        await own.announcements.say("one")
        await settle()
        assert own.voice.said == []
        await own.user_is_done()
        assert own.voice.said == ["one"]


async def test_cut_unheard_it_is_said_again_and_cut_heard_it_is_not() -> None:
    async with table() as own:
        await own.announcements.say("one")
        await settle()
        for count in (2, 3):
            await own.user_speaks()
            assert len(own.voice.said) == count - 1
            await own.user_is_done()
            assert own.voice.said == ["one"] * count
        await own.heard()
        await own.user_speaks()
        await own.user_is_done()
        assert own.voice.said == ["one"] * 3


@pytest.mark.parametrize("answers", [True, False])
async def test_a_greeting_that_a_noise_cut_unheard_is_said_again_unless_the_user_spoke(
    answers: bool,
) -> None:
    own = Table()
    greeting = asyncio.create_task(own.announcements.greet("Hello.", lambda: answers))
    await settle()
    assert own.voice.said == ["Hello."]
    await own.user_speaks()
    await own.user_is_done()
    assert own.voice.said == ["Hello."] * (1 if answers else 2)
    if not answers:
        await own.heard()
    await greeting
    assert len(own.voice.said) == (1 if answers else 2)


async def test_the_queue_is_bounded() -> None:
    async with table() as own:
        await own.user_speaks()
        for number in range(MAX_WAITING + 2):
            await own.announcements.say(str(number))
            await settle()
        await own.user_is_done()
        for _ in range(MAX_WAITING + 2):
            await own.heard()
    # the first was already taken, and waits for the floor
    assert own.voice.said == ["0", *map(str, range(2, MAX_WAITING + 2))]


async def test_one_that_fails_does_not_hold_up_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcements, "HEARD_WITHIN_S", 0.0)
    async with table() as own:
        await own.announcements.say("one")
        await own.announcements.say("two")
        await settle()
        await settle()
        await settle()
    assert own.voice.said == ["one", "two"]


SET = FakeReply([call("set_timer", '{"seconds": 0.3, "label": "tea"}'), finish("tool_calls")])
DONE = "Your tea timer is done. "


async def test_a_timer_whose_words_were_cut_unheard_is_heard_after_the_answer() -> None:
    replies = (SET, says("It runs."), says("Yes."))
    async with stage(*replies, tools=("set_timer",)) as scene:
        scene.start()
        await scene.until_event("bot_stopped")
        await scene.hear("Tea, please.")
        await scene.until(lambda: "It runs" in scene.heard)
        scene.engine.gate.clear()  # its voice takes long …
        await scene.until(lambda: DONE.strip() in scene.engine.spoken)
        await scene.speak()  # … and the user begins to speak before it is heard
        scene.engine.gate.set()
        await scene.until(lambda: DONE in scene.heard)
        assert scene.heard == "Hello. It runs. Yes. " + DONE
        assert scene.engine.spoken.count(DONE.strip()) == 2


async def test_a_timer_that_is_due_in_the_users_turn_waits_for_the_answer() -> None:
    replies = (SET, says("It runs."), says("Yes."))
    async with stage(*replies, tools=("set_timer",)) as scene:
        scene.start()
        await scene.until_event("bot_stopped")
        await scene.hear("Tea, please.")
        await scene.until(lambda: "It runs" in scene.heard)
        scene.recogniser.gate.clear()
        await scene.speak()
        await asyncio.sleep(0.4)  # the timer is due, the recogniser still busy
        scene.recogniser.gate.set()
        await scene.until(lambda: DONE in scene.heard)
        assert scene.heard == "Hello. It runs. Yes. " + DONE
