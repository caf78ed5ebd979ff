"""Time under control, and an ear for what tools say."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class FakeClock:
    """Stands still until told to go on."""

    def __init__(self, start: datetime = datetime(2026, 3, 5, 14, 7, tzinfo=UTC)) -> None:
        self._now = start
        self._sleepers: list[tuple[datetime, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + timedelta(seconds=seconds), future))
        await future

    async def advance(self, seconds: float) -> None:
        await settle()
        self._now += timedelta(seconds=seconds)
        due = [sleeper for sleeper in self._sleepers if sleeper[0] <= self._now]
        for sleeper in sorted(due, key=lambda sleeper: sleeper[0]):
            self._sleepers.remove(sleeper)
            if not sleeper[1].done():
                sleeper[1].set_result(None)
        await settle()


async def settle() -> None:
    """Let tasks run until each waits for something."""
    for _ in range(5):
        await asyncio.sleep(0)


class FakeVoice:
    def __init__(self) -> None:
        self.said: list[str] = []

    async def say(self, text: str) -> None:
        self.said.append(text)
