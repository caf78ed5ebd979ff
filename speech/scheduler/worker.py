"""The threads of one device, which ask the policy what to do next."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from speech.errors import EarshotError, EngineError
from speech.scheduler.listener import Listener
from speech.scheduler.policy import Job, Policy, Turn, Wait

T = TypeVar("T")
CLOSED = "the speech engine is closed"


class Worker:
    """Runs jobs in the policy's order, ``threads`` at a time. Its methods return at once."""

    def __init__(
        self,
        name: str,
        threads: int,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.policy = policy or Policy()
        self._threads, self._clock = threads, clock
        self._changed = threading.Condition()
        self._futures: dict[Job, Future[Any]] = {}
        self._ends: dict[Job, float] = {}
        self._closed = False
        # One token for each job that may run: a thread that takes one asks the policy which.
        self._tokens = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def submit(self, job: Job) -> asyncio.Future[Any]:
        """What the job's run returns; its error is an ``EarshotError``.

        Raises ``EngineError`` after ``aclose``.
        """
        future: Future[Any] = Future()
        with self._changed:
            if self._closed:
                raise EngineError(CLOSED)
            self._futures[job] = future
            self.policy.add(job)
            self._changed.notify_all()
            self._tokens.submit(self._take_turn)
        wrapped = asyncio.wrap_future(future)
        wrapped.add_done_callback(lambda done: self._seen(job, done))
        return wrapped

    def discard(self, job: Job) -> None:
        """Forget a job that waits; one that runs is left to end. Idempotent."""
        with self._changed:
            if self.policy.remove(job):
                self._futures.pop(job).cancel()
            self._changed.notify_all()

    def join(self, listener: Listener) -> None:
        """A session was opened: from the second on, jobs are kept short."""
        with self._changed:
            self.policy.join(listener)

    def leave(self, listener: Listener) -> None:
        """A session was closed; its jobs that wait are forgotten."""
        with self._changed:
            for job in self.policy.leave(listener):
                self._futures.pop(job).cancel()
            self._changed.notify_all()

    def grant(self, listener: Listener, seconds: float) -> None:
        """So much more sound may be made for a listener."""
        with self._changed:
            listener.grant(seconds)
            for _ in () if self._closed else self.policy.waiting(listener):
                self._tokens.submit(self._take_turn)

    @property
    def busy_s(self) -> float:
        """Seconds until a thread is free, by what the running jobs were thought to cost."""
        with self._changed:
            if len(self._ends) < self._threads:
                return 0.0
            return max(0.0, min(self._ends.values()) - self._clock())

    async def aclose(self) -> None:
        """Drop jobs that wait and wait for running ones; stop those first."""
        with self._changed:
            self._closed = True
            for job in self.policy.waiting():
                self.policy.remove(job)
                self._futures.pop(job).cancel()
            self._changed.notify_all()
        await asyncio.to_thread(self._tokens.shutdown, wait=True, cancel_futures=True)

    def _seen(self, job: Job, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            self.discard(job)
        else:  # nobody may be waiting any more; asyncio would call its error "never retrieved"
            done.exception()

    def _take_turn(self) -> None:
        with self._changed:
            turn = self._next()
            if turn is None:
                return
            job = turn.job
            future = self._futures.pop(job)
            if not future.set_running_or_notify_cancel():
                return
            self._ends[job] = self._clock() + job.cost_s
        try:
            result, error = guarded(lambda: job.run(turn.share)), None
        except EarshotError as failed:
            result, error = None, failed
        with self._changed:
            del self._ends[job]
            if error is None:
                self.policy.done(job, self._clock())
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def _next(self) -> Turn | None:
        while isinstance(turn := self.policy.next(self._clock()), Wait):
            self._changed.wait(max(0.0, turn.until - self._clock()))
        return turn


def guarded(job: Callable[[], T]) -> T:
    """What the job returns; whatever it raises as an ``EarshotError``."""
    try:
        return job()
    except EarshotError:
        raise
    except Exception as error:  # whatever a library raises fails this unit, not the engine
        raise EngineError(f"speech failed: {type(error).__name__}: {error}") from error
