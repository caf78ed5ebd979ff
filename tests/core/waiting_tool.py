"""A tool for tests of what happens while one runs."""

from __future__ import annotations

import asyncio


async def wait_for_ever() -> str:
    """Never done."""
    await asyncio.Event().wait()
    return "never"
