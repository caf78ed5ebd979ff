"""The first Ctrl-C asks to stop, the second stops at once."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from bot.web.stopping import stop_requested


async def test_the_first_signal_sets_the_event() -> None:
    with stop_requested() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        async with asyncio.timeout(5):
            await stop.wait()


async def test_the_second_cancels() -> None:
    with stop_requested() as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(5):
            await stop.wait()
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(5)
    task = asyncio.current_task()
    assert task is not None
    task.uncancel()
