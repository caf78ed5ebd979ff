"""Ending the process while native code runs that cannot be stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

EXIT_INTERRUPTED = 130
UNWIND_S = 0.6
"""What a command gets, at its end or interrupted, to end its child process and close what is
open. What it has not closed by then, the process's end does."""


def leave(code: int) -> NoReturn:
    """End the process now, output flushed.

    The interpreter's own way out joins every thread, whatever it computes, and unloads the
    speech libraries: seconds in which nothing happens. A child process that serves us ends by
    its pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader is gone, or it is closed
            stream.flush()
    os._exit(code)


@contextmanager
def closing_in_time(code: int, leave: Callable[[int], object] = leave) -> Iterator[None]:
    """This block, in which everything is closed, ends the process with ``code`` after
    ``UNWIND_S``; Ctrl-C does so at once.

    Outside the main thread only the time is limited.
    """
    before = signal.getsignal(signal.SIGINT)
    takes_signals = threading.current_thread() is threading.main_thread() and before is not None
    watchdog = threading.Timer(UNWIND_S, leave, (code,))
    watchdog.daemon = True
    watchdog.start()
    if takes_signals:
        signal.signal(signal.SIGINT, lambda *_: leave(code))
    try:
        yield
    finally:
        watchdog.cancel()
        if takes_signals:
            signal.signal(signal.SIGINT, before)


@contextmanager
def interrupt_leaves(
    notify: Callable[[str], None], leave: Callable[[int], object] = leave
) -> Iterator[None]:
    """In this block the first Ctrl-C ends the process within ``UNWIND_S``, a second at once.

    The first also does what it did before (asyncio cancels the main task), so that what is
    open is closed as far as there is time. Does nothing outside the main thread.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            leave(EXIT_INTERRUPTED)
            return
        pressed = True
        notify("Stopped.")
        watchdog = threading.Timer(UNWIND_S, leave, (EXIT_INTERRUPTED,))
        watchdog.daemon = True
        watchdog.start()
        before(number, frame)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        if not pressed:
            signal.signal(signal.SIGINT, before)
