"""The user of a scenario: speaks each turn when its moment has come."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.scenario.moments import Moment
from bot.scenario.names import PREVIOUS, READY
from bot.scenario.render import Rendered
from bot.scenario.schema import Scenario, Turn
from bot.scenario.watch import Watch
from speech.timeline import Timeline

SETTLE_S = 0.3
"""A reply is over when nothing happened for this long: a second unit may follow a first."""


class Span(Protocol):
    """When a clip is heard, on the timeline's clock."""

    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...


class Mouth(Protocol):
    """What the player needs of ``ScriptTransport``."""

    async def started(self) -> float: ...
    def play(self, samples: NDArray[np.int16], at: float | None = None) -> Span: ...


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was played for a turn: its audio and the speech in it, on the timeline's clock."""

    start: float
    end: float
    speech: tuple[float, float] | None


class Player:
    """Plays the turns in order; ``spoken`` has what has been booked so far."""

    def __init__(
        self, scenario: Scenario, clips: Sequence[Rendered], mouth: Mouth, timeline: Timeline
    ) -> None:
        self.spoken: list[Spoken] = []
        self.missed: list[str] = []
        self._scenario = scenario
        self._clips = clips
        self._mouth = mouth
        self._timeline = timeline
        self._watch = Watch(timeline)
        self._ready_at = 0.0

    async def play(self, rate_hz: int) -> None:
        """Until the last turn has been said and answered and the tail has passed."""
        try:
            self._ready_at = await self._mouth.started()
            for index, turn in enumerate(self._scenario.turns):
                at = await self._moment_of(index, turn)
                await self._say(index, at, rate_hz)
            await self._answered()
            await self._watch.until_quiet(self._scenario.tail, self._scenario.wait)
        finally:
            self._watch.close()

    async def _say(self, index: int, at: float, rate_hz: int) -> None:
        clip = self._clips[index]
        played = self._mouth.play(clip.samples, at)
        speech = None
        if clip.speech:
            first, last = clip.speech
            speech = (played.start + first / rate_hz, played.start + last / rate_hz)
        self.spoken.append(Spoken(played.start, played.end, speech))
        self._mark(index, self.spoken[-1])
        await self._until(played.start)

    def _mark(self, index: int, spoken: Spoken) -> None:
        fields: dict[str, float | int | str] = {"what": "user_audio", "turn": index}
        fields["duration_s"] = round(spoken.end - spoken.start, 3)
        if spoken.speech:
            fields["speech_from_s"] = round(spoken.speech[0] - spoken.start, 3)
            fields["speech_to_s"] = round(spoken.speech[1] - spoken.start, 3)
        self._timeline.mark("note", at=spoken.start, **fields)  # type: ignore[arg-type]

    async def _moment_of(self, index: int, turn: Turn) -> float:
        if turn.at is not None:
            return self._ready_at + turn.at
        if turn.after is not None:
            return await self._after(index, turn.after)
        if index == 0 and not self._scenario.greet:
            return self._ready_at + turn.gap
        await self._answered()
        return self._timeline.clock() + turn.gap

    async def _after(self, index: int, moment: Moment) -> float:
        if moment.event == READY:
            return self._ready_at + moment.delay_s
        if moment.event == PREVIOUS:
            return self.spoken[-1].end + moment.delay_s
        since = self.spoken[-1].start if self.spoken else self._ready_at
        # Speech borders are marked with a time that lies in the past.
        found = await self._watch.until(
            lambda: self._watch.first(moment.event, since) is not None, self._deadline()
        )
        if not found:
            waited = f"turn {index + 1} waited {self._scenario.wait:g} s for {moment.event}"
            self.missed.append(f"{waited}, which did not come")
            return self._timeline.clock()
        at = self._watch.first(moment.event, since)
        return (self._timeline.clock() if at is None else at) + moment.delay_s

    async def _answered(self) -> None:
        """Until the bot has greeted, or answered what was last said, and is quiet."""
        if self.spoken:
            await self._until(self.spoken[-1].end)
        if self._expects_speech():
            since = self._answer_from()
            await self._watch.until(
                lambda: self._watch.first("bot_started", since) is not None, self._deadline()
            )
        await self._watch.until_quiet(SETTLE_S, self._scenario.wait)

    def _expects_speech(self) -> bool:
        if not self.spoken:
            return self._scenario.greet
        return self._scenario.turns[len(self.spoken) - 1].is_speech

    def _answer_from(self) -> float:
        if not self.spoken:
            return self._ready_at
        spoken = self.spoken[-1]
        return spoken.speech[1] if spoken.speech else spoken.end

    def _deadline(self) -> float:
        return self._timeline.clock() + self._scenario.wait

    async def _until(self, moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - self._timeline.clock()))
