"""Waiting for what an engine's threads make."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from speech.errors import EngineError
from speech.scheduler.worker import CLOSED

T = TypeVar("T")


async def within(timeout_s: float, future: asyncio.Future[T], what: str) -> T:
    """The future's result. Raises ``EngineError`` after ``timeout_s``."""
    try:
        async with asyncio.timeout(timeout_s):
            return await result(future)
    except TimeoutError as error:
        raise EngineError(f"{what} took longer than {timeout_s:g} s") from error


async def result(future: asyncio.Future[T]) -> T:
    """The future's result. Raises ``EngineError`` where the engine was closed under it."""
    try:
        return await future
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise EngineError(CLOSED) from None  # not this task was cancelled, but its job
