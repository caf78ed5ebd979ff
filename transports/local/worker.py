"""Calls into the sound library that must not block the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

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
    running = _Call(function, discard)
    _in_thread(running.run)
    try:
        return await asyncio.wait_for(running.result, timeout_s)
    except TimeoutError:
        raise DeviceError(
            f"the sound system did not answer for {timeout_s:g} s: restart it, or choose "
            "another device (`earshot doctor` lists them)"
        ) from None


class _Call(Generic[T]):
    """Carries a result, or a failure, from the thread to the loop that waits for it."""

    def __init__(self, function: Callable[[], T], discard: Callable[[T], None]) -> None:
        self._function = function
        self._discard = discard
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self._loop.create_future()

    def run(self) -> None:
        """In the thread."""
        try:
            with _one_at_a_time:
                value = self._function()
        except Exception as error:  # Whatever it is, it belongs to the caller, who awaits it.
            self._to_loop(self._fail, error)
            return
        if not self._to_loop(self._succeed, value):
            self._discard(value)

    def _to_loop(self, settle: Callable[..., None], outcome: object) -> bool:
        try:
            self._loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:  # The loop is closed: nobody waits any more.
            return False
        return True

    def _succeed(self, value: T) -> None:
        if self.result.done():
            _in_thread(lambda: self._discard(value))
        else:
            self.result.set_result(value)

    def _fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)


def _in_thread(function: Callable[[], None]) -> None:
    threading.Thread(target=function, name="earshot-sound", daemon=True).start()
