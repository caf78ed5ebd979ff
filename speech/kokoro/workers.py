"""Threads that keep the order they are asked in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from speech.errors import EngineError
from speech.scheduler.worker import CLOSED, guarded

T = TypeVar("T")


class Workers:
    """Threads that take jobs first come first served.

    As each session asks for one piece at a time, the queue is bounded by the number of sessions;
    a queued job whose future is cancelled is dropped at the event loop's next turn.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def submit(self, job: Callable[[], T]) -> asyncio.Future[T]:
        """Run ``job`` in a thread; its error is an ``EarshotError``.

        Raises ``EngineError`` after ``aclose``.
        """
        try:
            future: Future[T] = self._pool.submit(guarded, job)
        except RuntimeError as error:
            raise EngineError(CLOSED) from error
        wrapped = asyncio.wrap_future(future)
        # Nobody may be waiting any more; asyncio would call its error "never retrieved".
        wrapped.add_done_callback(lambda done: done.cancelled() or done.exception())
        return wrapped

    async def aclose(self) -> None:
        """Drop queued jobs and wait for running ones; stop those first."""
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)
