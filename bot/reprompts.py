"""What the bot does when the user says nothing for long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from bot.config.schema import TurnSettings
from processors.floor import Floor


@dataclass(frozen=True)
class Silence:
    """After ``seconds`` without a word the user is asked, ``times`` times; then it is over.

    0 seconds: never.
    """

    seconds: float
    times: int

    @classmethod
    def of(cls, turn: TurnSettings, usual_s: float) -> Silence:
        """The configured one; ``usual_s`` where it is left to the way of talking.

        Never where the bot has to be named: there silence is no sign of anything.
        """
        seconds = usual_s if turn.reprompt_s == "auto" else turn.reprompt_s
        return cls(0.0 if turn.wake_phrases else seconds, turn.reprompts)


class Reprompts:
    """Asks a silent user whether they are there, and ends the conversation when they are not.

    Silence is counted from the end of the last sound, while nobody has the floor. A noise
    begins it anew; only words (``said`` changes) give back the number of times. ``busy`` is
    true while the bot has promised something, such as a timer: then nobody is asked. ``ask``
    returns when it was heard: a slow voice must not use up the silence.

    pipecat's ``UserIdleController`` is not used: it begins to count only when the bot has
    spoken, so not after an answer that came to nothing, and at the send time of the sound.
    """

    def __init__(
        self,
        silence: Silence,
        floor: Floor,
        *,
        ask: Callable[[], Awaitable[None]],
        leave: Callable[[], Awaitable[None]],
        said: Callable[[], object],
        busy: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._silence = silence
        self._floor = floor
        self._ask = ask
        self._leave = leave
        self._said = said
        self._busy = busy
        self._clock = clock

    async def run(self) -> None:
        """Until the user is left; never returns where the silence has no limit."""
        asked, said = 0, self._said()
        while True:
            await self._until_silent()
            if self._said() != said:
                asked, said = 0, self._said()
            if asked >= self._silence.times:
                break
            asked += 1
            await self._ask()
        await self._leave()

    async def _until_silent(self) -> None:
        """Return when nothing has happened for so long, from now on."""
        begun = self._clock()
        while (left_s := self._left_s(begun)) != 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    self._floor.changed.clear()
                    await self._floor.changed.wait()

    def _left_s(self, begun: float) -> float | None:
        """Seconds until it has been silent for long, if nothing happens; None: not foreseeable."""
        free_in = self._floor.wait_s
        if free_in is None or not self._silence.seconds:
            return None
        if self._busy():
            return self._silence.seconds
        quiet_since = max(begun, self._floor.quiet_since)
        return max(0.0, free_in, quiet_since + self._silence.seconds - self._clock())
