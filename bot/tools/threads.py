"""Sync tools, off the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from bot.tools.context import ToolError

MAX_THREADS = 4
"""A thread cannot be stopped: this many hung calls are borne, then calls are refused."""

_slots = threading.BoundedSemaphore(MAX_THREADS)


async def run_in_thread(function: Callable[[], Any]) -> Any:
    """The function's result, from a thread of its own.

    The thread is a daemon, which the default executor's are not: a hung tool must not keep
    the process from ending. Cancelling leaves it to finish and drops its result. Raises
    ``ToolError`` while ``MAX_THREADS`` calls are still running.
    """
    if not _slots.acquire(blocking=False):
        raise ToolError("too many tools are still busy; try again later")
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def work() -> None:
        result, error = None, None
        try:
            result = function()
        except Exception as raised:  # it is the caller's, who awaits the future
            error = raised
        finally:
            _slots.release()
        try:
            loop.call_soon_threadsafe(_settle, future, result, error)
        except RuntimeError:  # the loop has closed; nobody waits any more
            return

    threading.Thread(target=work, name="tool", daemon=True).start()
    return await future


def _settle(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
