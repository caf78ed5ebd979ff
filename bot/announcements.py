"""What the bot says of its own accord, such as that a timer is done."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from loguru import logger

from processors.floor import Floor

MAX_WAITING = 20
"""Above the number of timers; beyond it the oldest is dropped."""

HEARD_WITHIN_S = 20.0
"""An announcement of which no word is heard by then has failed, and is not said again."""


GREETINGS = 3
"""A line on which no word gets through has other troubles."""


class Announcements:
    """Says each text when the floor is free, and again if it was cut before a word was heard.

    ``speak`` speaks a text at once. ``run`` does the saying, one by one, until cancelled.
    """

    def __init__(self, speak: Callable[[str], Awaitable[None]], floor: Floor) -> None:
        self._speak = speak
        self._floor = floor
        self._waiting: deque[str] = deque()
        self._come = asyncio.Event()

    async def say(self, text: str) -> None:
        """To be said as soon as the floor is free; returns at once."""
        if len(self._waiting) >= MAX_WAITING:
            logger.warning("too many announcements wait: the oldest is dropped")
            self._waiting.popleft()
        self._waiting.append(text)
        self._come.set()

    async def run(self) -> None:
        """Never returns."""
        while True:
            while not self._waiting:
                self._come.clear()
                await self._come.wait()
            text = self._waiting.popleft()
            while await self._was_cut(text):
                pass

    async def greet(self, text: str, answered: Callable[[], object]) -> None:
        """Say it at once, and again when the floor is free where a noise cut it before a word
        was heard; not if the user has said something meanwhile."""
        for _ in range(GREETINGS):
            if not await self.cut_unheard(text):
                return
            await self._until_free()
            if answered():
                return

    async def _was_cut(self, text: str) -> bool:
        await self._until_free()
        return await self.cut_unheard(text)

    async def cut_unheard(self, text: str) -> bool:
        """Say it at once, and once; return when a word was heard, it was cut, or it has failed.

        True if it was interrupted before a word was heard.
        """
        floor = self._floor
        words, cuts = floor.words, floor.cuts
        await self._speak(text)
        try:
            async with asyncio.timeout(HEARD_WITHIN_S):
                while floor.words == words and floor.cuts == cuts:
                    await self._news()
        except TimeoutError:
            logger.warning("an announcement was not heard")
            return False
        return floor.words == words

    async def _until_free(self) -> None:
        while (wait_s := self._floor.wait_s) != 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._news()

    async def _news(self) -> None:
        self._floor.changed.clear()
        await self._floor.changed.wait()
