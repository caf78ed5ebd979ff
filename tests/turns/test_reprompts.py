"""A silent user is asked, so many times, then left; never in anybody's turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    InputDTMFFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    OutputAudioRawFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)

from bot.config.schema import Settings
from bot.reprompts import Reprompts, Silence
from bot.tools import ToolContext
from processors.floor import FORGOTTEN_S, Floor
from tests.core.stage import stage
from tests.llm.fake_server import says
from tests.tools.fakes import FakeVoice, settle

AFTER_S, TIMES = 15.0, 2
ASKED, LEFT = "asked", "left"
RATE_HZ = 8_000


class Room:
    """A user and a bot who do what the test says, on virtual time."""

    def __init__(self) -> None:
        self.now = asyncio.get_running_loop().time
        self.floor = Floor(self.now)
        self.begun = self.now()
        self.words = 0
        self.busy = False
        self.voice_takes_s = 0.0
        self.happened: list[tuple[str, float]] = []
        self.reprompts = Reprompts(
            Silence(AFTER_S, TIMES),
            self.floor,
            ask=self._ask,
            leave=self._leave,
            said=lambda: self.words,
            busy=lambda: self.busy,
            clock=self.now,
        )

    async def after(self, seconds: float, *frames: Frame) -> None:
        """So long later this happens."""
        await asyncio.sleep(seconds)
        for frame in frames:
            self.floor.note(frame)
        await settle()

    def at(self, what: str) -> list[float]:
        return [when for name, when in self.happened if name == what]

    async def _ask(self) -> None:
        self._note(ASKED)
        await asyncio.sleep(self.voice_takes_s)

    async def _leave(self) -> None:
        self._note(LEFT)

    def _note(self, what: str) -> None:
        self.happened.append((what, round(self.now() - self.begun, 3)))


@asynccontextmanager
async def room() -> AsyncIterator[Room]:
    made = Room()
    running = asyncio.create_task(made.reprompts.run())
    await settle()
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running])


BOT, BOT_END = BotStartedSpeakingFrame(), BotStoppedSpeakingFrame()
VOICE, QUIET = VADUserStartedSpeakingFrame(), VADUserStoppedSpeakingFrame()
TURN, TURN_END = UserStartedSpeakingFrame(), UserStoppedSpeakingFrame()
ANSWER, ANSWER_END = LLMFullResponseStartFrame(), LLMFullResponseEndFrame()
CALL = FunctionCallInProgressFrame("f", "c1", {})
RESULT = FunctionCallResultFrame("f", "c1", {}, "done")


@pytest.mark.looptime
async def test_asked_twice_then_left() -> None:
    """Also where the bot has said nothing at all."""
    async with room() as own:
        await own.after(100)
        assert own.happened == [(ASKED, 15.0), (ASKED, 30.0), (LEFT, 45.0)]


@pytest.mark.looptime
async def test_a_slow_voice_does_not_use_up_the_silence() -> None:
    async with room() as own:
        own.voice_takes_s = 20.0
        await own.after(100)
        assert own.happened == [(ASKED, 15.0), (ASKED, 50.0), (LEFT, 85.0)]


@pytest.mark.looptime
async def test_the_silence_is_counted_from_the_end_of_the_bots_sound() -> None:
    async with room() as own:
        await own.after(2, ANSWER, BOT)
        await own.after(0.5, ANSWER_END)
        await own.after(30, BOT_END)
        await own.after(16)
        assert own.happened == [(ASKED, 32.5 + AFTER_S)]


@pytest.mark.looptime
async def test_sound_sent_ahead_is_waited_for_unless_it_was_cut() -> None:
    ten_seconds = OutputAudioRawFrame(bytes(2 * 10 * RATE_HZ), RATE_HZ, 1)
    for cut, expected in ((False, 11.0 + AFTER_S), (True, 3.0 + AFTER_S)):
        async with room() as own:
            await own.after(1, BOT, ten_seconds)
            await own.after(2, BOT_END, *([InterruptionFrame()] if cut else []))
            await own.after(25)
            assert own.happened == [(ASKED, expected)]


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ([VOICE], [QUIET]),
        ([VOICE, TURN, QUIET], [TURN_END, ANSWER, BOT, ANSWER_END, BOT_END]),
        ([ANSWER], [ANSWER_END]),
        ([BOT], [BOT_END]),
        ([CALL], [RESULT]),
    ],
    ids=["a voice", "a turn", "an answer is made", "the bot speaks", "a tool runs"],
)
async def test_never_in_anybodys_turn(begin: list[Frame], end: list[Frame]) -> None:
    async with room() as own:
        await own.after(14, *begin)
        await own.after(FORGOTTEN_S - 10, *end)
        assert own.happened == []
        await own.after(14.9)
        assert own.happened == []
        await own.after(5)
        assert [name for name, _ in own.happened] == [ASKED]


@pytest.mark.looptime
async def test_who_holds_the_talk_key_has_the_floor() -> None:
    async with room() as own:
        await own.after(14)
        own.floor.key(down=True)
        await own.after(40)
        assert own.happened == []
        own.floor.key(down=False)
        await own.after(16)
        assert own.happened == [(ASKED, 54 + AFTER_S)]


@pytest.mark.looptime
async def test_a_key_that_was_pressed_breaks_the_silence() -> None:
    async with room() as own:
        await own.after(14, InputDTMFFrame(button=KeypadEntry.ONE))
        await own.after(16)
        assert own.happened == [(ASKED, 14 + AFTER_S)]


@pytest.mark.looptime
async def test_an_answer_that_never_comes_does_not_keep_the_line_for_ever() -> None:
    async with room() as own:
        await own.after(1, VOICE, TURN, QUIET, TURN_END, ANSWER)
        await own.after(FORGOTTEN_S + 1)
        assert own.at(ASKED) == [1 + FORGOTTEN_S]


@pytest.mark.looptime
async def test_words_give_back_the_number_of_times_and_noises_do_not() -> None:
    async with room() as own:
        await own.after(16, VOICE)
        await own.after(1, QUIET)
        await own.after(16, VOICE, TURN)
        await own.after(1, QUIET)
        own.words += 1
        await own.after(0, TURN_END, ANSWER, BOT, ANSWER_END, BOT_END)
        assert len(own.happened) == 2
        await own.after(100)
        assert [name for name, _ in own.happened] == [ASKED, ASKED, ASKED, ASKED, LEFT]


@pytest.mark.looptime
async def test_nobody_is_asked_while_the_bot_has_promised_something() -> None:
    async with room() as own:
        own.busy = True
        await own.after(300)
        assert own.happened == []
        own.busy = False
        await own.after(2 * AFTER_S)
        assert own.at(ASKED)


@pytest.mark.looptime
async def test_a_silence_without_limit() -> None:
    for silence in (Silence(0.0, TIMES), Silence(0.0, 0)):
        own = Room()
        own.reprompts._silence = silence
        running = asyncio.create_task(own.reprompts.run())
        await own.after(10_000)
        assert own.happened == []
        running.cancel()


@pytest.mark.parametrize(
    ("turn", "usual_s", "expected"),
    [
        ({}, 0.0, Silence(0.0, 2)),
        ({}, 15.0, Silence(15.0, 2)),
        ({"reprompt_s": 0}, 15.0, Silence(0.0, 2)),
        ({"reprompt_s": 30, "reprompts": 0}, 0.0, Silence(30.0, 0)),
        ({"reprompt_s": 30, "wake_phrases": ["computer"]}, 15.0, Silence(0.0, 2)),
    ],
)
def test_the_settings(turn: dict[str, object], usual_s: float, expected: Silence) -> None:
    assert Silence.of(Settings.model_validate({"turn": turn}).turn, usual_s) == expected


async def test_a_tool_that_has_promised_something_is_busy() -> None:
    context, done = ToolContext(FakeVoice().say), asyncio.Event()
    assert not context.busy
    task = context.spawn(_wait_for(done), "a timer")
    assert context.busy
    done.set()
    await task
    await settle()
    assert not context.busy


async def _wait_for(event: asyncio.Event) -> None:
    await event.wait()


async def test_a_whole_conversation_with_nobody() -> None:
    """A goodbye longer than an impatient user would wait is heard out."""
    goodbye = " ".join(["bye"] * 10)
    turn = {"reprompt_s": 0.3, "reprompts": 1}
    async with stage(bot={"reprompt": "Are you there?", "goodbye": goodbye}, turn=turn) as scene:
        scene.start()
        await scene.ended()
        assert scene.heard == f"Hello. Are you there? {goodbye} "
        assert scene.server.requests == []
        said = [m["content"].strip() for m in scene.conversation.messages]
        assert said == ["Hello.", "Are you there?", goodbye]


async def test_who_comes_back_is_answered_and_asked_again_later() -> None:
    turn = {"end": "silence", "silence_s": 0.2, "reprompt_s": 1.0, "reprompts": 1}
    async with stage(says("It is noon."), bot={"reprompt": "Hm?"}, turn=turn) as scene:
        scene.start()
        await scene.until(lambda: "Hm?" in scene.heard)
        await scene.hear("What time is it?")
        await scene.until(lambda: scene.heard.count("Hm?") == 2)
        assert scene.heard.startswith("Hello. Hm? It is noon. Hm?")
        last = scene.server.requests[-1]["messages"]
        assert [m["content"].strip() for m in last[1:]] == ["Hello.", "Hm?", "What time is it?"]
        await scene.cancel()
