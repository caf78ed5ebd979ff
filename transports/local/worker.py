"""Calls into the sound library that must not block the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from speech.errors import DeviceError

T = TypeVar("T")

CALL_TIMEOUT_S = 8.0
"""Opening a Bluetooth headset takes seconds; more than this is a hung driver."""

_one_at_a_time = threading.Lock()
"""PortAudio's open, close and restart are not safe from two threads."""


def _keep(_: object) -> None:
    """Nothing to undo."""


async def call(
    function: Callable[[], T],
    *,
    discard: Callable[[T], None] = _keep,
    timeout_s: float = CALL_TIMEOUT_S,
) -> T:
    """Run ``function`` in a thread of its own.

    Raises ``DeviceError`` when it does not return in time. The thread is a daemon, so that
    a driver that never returns cannot keep the process from ending. ``discard`` gets a
    result that came when nobody waited any more.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(deliver: Callable[[], None], undo: Callable[[], None]) -> None:
        if not future.done():
            deliver()
        else:
            _in_thread(undo)

    def run() -> None:
        try:
            with _one_at_a_time:
                result = function()
        except Exception as error:  # Whatever it is, it belongs to the caller, who awaits it.
            failure = error
            _hand_over(loop, lambda: settle(lambda: future.set_exception(failure), lambda: None))
            return
        undo = lambda: discard(result)  # noqa: E731 - one expression, used twice
        if not _hand_over(loop, lambda: settle(lambda: future.set_result(result), undo)):
            undo()

    _in_thread(run)
    try:
        return await asyncio.wait_for(future, timeout_s)
    except TimeoutError:
        raise DeviceError(
            f"the sound system did not answer for {timeout_s:g} s: restart it, or choose "
            "another device (`earshot doctor` lists them)"
        ) from None


def _hand_over(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> bool:
    try:
        loop.call_soon_threadsafe(action)
    except RuntimeError:  # The loop is closed: nobody waits any more.
        return False
    return True


def _in_thread(function: Callable[[], None]) -> None:
    threading.Thread(target=function, name="earshot-sound", daemon=True).start()
