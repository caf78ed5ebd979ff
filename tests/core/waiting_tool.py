"""A tool for tests of what happens while one runs."""

from __future__ import annotations

import asyncio
import time


async def wait_for_ever() -> str:
    """Never done."""
    await asyncio.Event().wait()
    return "never"


async def nap() -> str:
    """Take a short nap."""
    await asyncio.sleep(0.3)
    return "slept"


def thread_nap() -> str:
    """Take a short nap in a thread."""
    time.sleep(0.3)
    return "slept"
