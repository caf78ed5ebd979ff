"""Waiting for what another task or machine does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LONGEST_S = 10.0


async def until(condition: Callable[[], object]) -> None:
    """Return once it holds; raises ``TimeoutError``."""
    async with asyncio.timeout(LONGEST_S):
        while not condition():  # noqa: ASYNC110 - what it looks at tells nobody
            await asyncio.sleep(0.005)
