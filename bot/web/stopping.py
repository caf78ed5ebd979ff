"""Ctrl-C: the first asks to stop, the second stops at once."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def stop_requested() -> Iterator[asyncio.Event]:
    """An event that the first SIGINT or SIGTERM sets; the second cancels the current task.

    Where the loop takes no signal handlers (Windows, a loop outside the main thread) the
    event stays unset and Ctrl-C cancels as asyncio does.
    """
    loop = asyncio.get_running_loop()
    owner = asyncio.current_task()
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set() and owner is not None:
            owner.cancel()
        stop.set()

    installed = []
    for signum in _SIGNALS:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(signum, on_signal)
            installed.append(signum)
    try:
        yield stop
    finally:
        for signum in installed:
            loop.remove_signal_handler(signum)
