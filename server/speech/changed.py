"""Waiting for a condition that several tasks change."""

from __future__ import annotations

import asyncio


class Changed:
    """Wakes everyone who waits: ``while not …: await changed.wait()``; for one event loop."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        """Wake those who wait now."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Return at the next ``notify``."""
        await self._event.wait()
