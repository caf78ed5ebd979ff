"""A user who listens, answers, and notes every silence that should not be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from bench.load.mix import Reply
from bench.load.strategies import Voice
from bench.playback import Arrival, Gap, play
from speech.errors import EngineBusyError

TOLERANCE_S = 0.02
"""What one block of a sound device hides."""
SHORTEST_RETRY_S = 0.05


def now() -> float:
    """The event loop's clock, which a test may turn by hand."""
    return asyncio.get_running_loop().time()


@dataclass
class Heard:
    """One reply: when it was asked for, its pieces, and how often it was refused before."""

    asked_at: float
    arrivals: list[Arrival] = field(default_factory=list)
    units: int = 0
    refused: int = 0

    @property
    def first_audio_s(self) -> float:
        """From the first time of asking, refusals included."""
        return self.arrivals[0].at_s - self.asked_at

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Silences between its pieces, longer than a device hides."""
        return play(self.arrivals, TOLERANCE_S).gaps

    def between_units_s(self) -> list[tuple[float, float]]:
        """When each unit but the first was needed, and by how much it was late, or 0."""
        late: dict[int, tuple[float, float]] = {}
        ends, unit = self.arrivals[0].at_s, 0
        for piece in self.arrivals:
            if piece.unit != unit:
                late[piece.unit] = (ends, max(0.0, piece.at_s - ends))
            ends, unit = max(ends, piece.at_s) + piece.audio_s, piece.unit
        return list(late.values())


class Listener:
    """One conversation. Reads as a bot does: at most ``lead_s`` ahead of what is heard."""

    def __init__(self, name: str, voice: Voice, lead_s: float) -> None:
        self._name, self._voice, self._lead_s = name, voice, lead_s
        self.diary: list[Heard] = []

    async def hear(self, reply: Reply) -> None:
        """Ask for a reply and listen to its end."""
        heard = Heard(now())
        units: asyncio.Queue[AsyncIterator[float] | None] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._ask(reply, heard, units))
            group.create_task(self._listen(heard, units))
        if heard.arrivals:
            self.diary.append(heard)
            last = heard.arrivals[-1]
            await asyncio.sleep(max(0.0, self._dry_at(heard) - last.at_s))

    async def _ask(self, reply: Reply, heard: Heard, units: asyncio.Queue[Any]) -> None:
        written_at = heard.asked_at
        for number, text in enumerate(reply.units):
            written_at = max(written_at, heard.asked_at + reply.written_s[number])
            await asyncio.sleep(max(0.0, written_at - now()))
            unit_id = f"{self._name}/{len(self.diary)}/{number}"
            units.put_nowait((unit_id, text, await self._accepted(unit_id, text, heard)))
        units.put_nowait(None)

    async def _accepted(self, unit_id: str, text: str, heard: Heard) -> AsyncIterator[float]:
        while True:
            try:
                return self._voice.speak(unit_id, text)
            except EngineBusyError as busy:
                await self._wait_out(busy, heard)

    async def _wait_out(self, busy: EngineBusyError, heard: Heard) -> None:
        heard.refused += 1
        await asyncio.sleep(max(SHORTEST_RETRY_S, busy.retry_after_s or 0.0))

    async def _listen(self, heard: Heard, units: asyncio.Queue[Any]) -> None:
        while (asked := await units.get()) is not None:
            unit_id, text, pieces = asked
            while True:
                try:
                    await self._play(pieces, heard)
                    break
                except EngineBusyError as busy:  # an engine behind a wire says so only here
                    await self._wait_out(busy, heard)
                    pieces = await self._accepted(unit_id, text, heard)
            heard.units += 1

    async def _play(self, unit: Any, heard: Heard) -> None:
        async with aclosing(unit) as pieces:
            async for seconds in pieces:
                heard.arrivals.append(Arrival(now(), seconds, heard.units))
                ahead_s = self._dry_at(heard) - now()
                await asyncio.sleep(max(0.0, ahead_s - self._lead_s))

    @staticmethod
    def _dry_at(heard: Heard) -> float:
        ends = heard.arrivals[0].at_s
        for piece in heard.arrivals:
            ends = max(ends, piece.at_s) + piece.audio_s
        return ends
