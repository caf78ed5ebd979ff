"""A user whose voice goes the whole way: microphone, detector, recogniser, policy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams, VADState

from bot import hearing
from bot.config.schema import Settings
from processors.barge_in import BargeInControl
from speech.hearing.recogniser import Transcript
from tests.core.stage import Stage, stage
from tests.llm.fake_server import FakeReply
from transports.script.speaker import VirtualSpeaker

FRAME_S = 0.02

LOUD_ABOVE = 1_000

QUIETEST = 8_000


class FakeVad(VADAnalyzer):
    """Takes everything that is loud for voice, at once: no thread of its own."""

    def __init__(self, params: VADParams, heard: Callable[[float], None] | None) -> None:
        super().__init__(params=params)
        self._heard = heard

    async def analyze_audio(self, buffer: bytes) -> VADState:
        return self._run_analyzer(buffer)

    def num_frames_required(self) -> int:
        return round(self.sample_rate * FRAME_S)

    def voice_confidence(self, buffer: bytes) -> float:
        loudest = int(np.abs(np.frombuffer(buffer, np.int16).astype(np.int32)).max(initial=0))
        confidence = float(loudest > LOUD_ABOVE)
        if self._heard is not None:
            self._heard(confidence)
        return confidence


def fake_vad(settings: Settings, heard: Callable[[float], None] | None = None) -> FakeVad:
    vad = settings.vad
    params = VADParams(start_secs=vad.start_s, stop_secs=vad.stop_s, min_volume=0.0)
    return FakeVad(params, heard)


class Utterances:
    """What was said, by the loudness of its samples: a recogniser that never mishears."""

    name = "fake"

    def __init__(self) -> None:
        self.delay_s = 0.0
        self._texts: list[str] = []

    def samples(self, text: str, seconds: float) -> NDArray[np.int16]:
        """Sound at 16 kHz in which ``text`` is heard."""
        self._texts.append(text)
        level = QUIETEST + len(self._texts)
        return np.resize(np.array([level, -level], np.int16), round(seconds * 16_000))

    async def transcribe(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        levels = dict.fromkeys(np.abs(samples.astype(np.int32)).tolist())
        said = [self._texts[level - QUIETEST - 1] for level in levels if level > QUIETEST]
        await asyncio.sleep(self.delay_s)
        return Transcript(" ".join(filter(None, said)), 0.0)


class Talk:
    """A conversation whose user has a voice."""

    def __init__(self, scene: Stage) -> None:
        self.scene = scene
        self.recogniser = Utterances()
        scene.recogniser.transcribe = self.recogniser.transcribe  # type: ignore[method-assign]

    @property
    def control(self) -> BargeInControl:
        control = self.scene.conversation._barge_in
        assert control is not None
        return control

    @property
    def speaker(self) -> VirtualSpeaker:
        speaker = self.scene.transport._speaker
        assert speaker is not None
        return speaker

    @property
    def held(self) -> bool:
        """Whether the bot's sound is held."""
        return self.speaker._held is not None

    @property
    def live(self) -> list[str]:
        """The replies that the policy takes for live."""
        return [live.reply_id for live in self.control._policy._floor.all]

    async def utter(self, text: str, seconds: float = 0.4) -> None:
        """Make sound for so long, of which the recogniser makes ``text``; returns at its end."""
        played = self.scene.transport.play(self.recogniser.samples(text, seconds))
        await asyncio.sleep(max(0.0, played.end - self.scene.timeline.clock()))

    def decided(self, what: str) -> int:
        """How often the policy decided so."""
        return sum(e.fields.get("what") == what for e in self.scene.named("note"))

    async def until_decided(self, what: str, count: int = 1) -> None:
        await self.scene.until(lambda: self.decided(what) >= count)

    async def until_free(self) -> None:
        """Until the policy takes no reply for live."""
        async with asyncio.timeout(10):
            while self.live:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)

    @property
    def sounded_after_a_cut(self) -> list[str]:
        """The replies of which something was audible 20 ms after they were cut."""
        cuts = {e.reply_id: e.at for e in self.scene.named("interrupt")}
        return [
            str(span.reply_id)
            for span in self.speaker.spans
            if self.speaker.time_of(span.end) > cuts.get(span.reply_id, float("inf")) + 0.02
        ]

    async def until_kept(self, words: str) -> None:
        """Until the last message is this."""
        async with asyncio.timeout(10):
            while self.messages[-1]["content"] != words:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.scene.conversation.messages

    @property
    def said(self) -> list[str]:
        """The user's messages."""
        return [m["content"] for m in self.messages if m["role"] == "user"]


@asynccontextmanager
async def talk(*replies: FakeReply, **options: Any) -> AsyncIterator[Talk]:
    """A running conversation; policy figures as in config.yaml, but nothing is protected."""
    options["barge_in"] = {"protect_s": 0.0} | options.get("barge_in", {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hearing, "build_vad", fake_vad)
        async with stage(*replies, **options) as scene:
            patch.undo()
            scene.start()
            yield Talk(scene)


def check_messages(messages: list[dict[str, Any]]) -> None:
    """Each call is followed by its result, with nothing between but other calls' pieces."""
    open_calls: set[str] = set()
    for at, message in enumerate(messages):
        calls = {call["id"] for call in message.get("tool_calls") or ()}
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls, f"no call before {at}: {messages}"
            open_calls.discard(message["tool_call_id"])
            continue
        assert not open_calls, f"{message['role']} between call and result: {messages}"
        open_calls |= calls
    assert not open_calls, f"no result: {messages}"
