"""The worker's threads run what the policy says, and nothing that was given up."""

from __future__ import annotations

import asyncio
import threading

import pytest

from speech.errors import EngineError
from speech.scheduler.listener import Listener
from speech.scheduler.policy import Job, Policy, Share
from speech.scheduler.worker import Worker


class Diary:
    """A worker whose one thread is busy until ``gate`` is set, and what ran in it."""

    def __init__(self) -> None:
        self.worker = Worker("test", 1, Policy(grace_s=60.0))
        self.gate, self.busy = threading.Event(), threading.Event()
        self.ran: list[str] = []

    async def block(self) -> asyncio.Future[None]:
        def run(_share: Share) -> None:
            self.busy.set()
            self.gate.wait(10)

        blocking = self.worker.submit(Job(run, due=0.0, cost_s=60.0))
        await asyncio.to_thread(self.busy.wait, 10)
        return blocking

    def job(self, name: str, due: float = 1.0, **of_job: object) -> Job:
        return Job(lambda _share: self.ran.append(name), due=due, **of_job)  # type: ignore[arg-type]


@pytest.fixture
async def diary() -> Diary:
    return Diary()


async def test_jobs_run_by_deadline_and_discarded_ones_never(diary: Diary) -> None:
    blocking = await diary.block()
    assert 0 < diary.worker.busy_s <= 60.0
    jobs = [diary.job(name, due) for name, due in (("c", 3.0), ("a", 1.0), ("x", 0.5), ("b", 2.0))]
    futures = [diary.worker.submit(job) for job in jobs]
    diary.worker.discard(jobs[2])
    diary.worker.discard(jobs[2])
    assert jobs[2] not in diary.worker.policy.waiting()
    diary.gate.set()
    await asyncio.gather(blocking, futures[0], futures[1], futures[3])
    assert diary.ran == ["a", "b", "c"]
    assert futures[2].cancelled()
    await diary.worker.aclose()


async def test_a_cancelled_future_is_a_discarded_job(diary: Diary) -> None:
    await diary.block()
    future = diary.worker.submit(diary.job("x"))
    future.cancel()
    await asyncio.sleep(0)
    assert diary.worker.policy.waiting() == []
    diary.gate.set()
    await diary.worker.aclose()
    assert diary.ran == []


async def test_a_session_that_leaves_takes_its_jobs_with_it(diary: Diary) -> None:
    listener = Listener()
    diary.worker.join(listener)
    await diary.block()
    future = diary.worker.submit(diary.job("x", listener=listener))
    diary.worker.leave(listener)
    with pytest.raises(asyncio.CancelledError):
        await future
    diary.gate.set()
    await diary.worker.aclose()
    assert diary.ran == []


async def test_credit_wakes_the_jobs_that_waited_for_it(diary: Diary) -> None:
    listener = Listener()
    diary.worker.join(listener)
    diary.worker.grant(listener, 0.0)
    waiting = diary.worker.submit(diary.job("late", listener=listener))
    await diary.worker.submit(diary.job("other"))
    assert not waiting.done()
    diary.worker.grant(listener, 1.0)
    await waiting
    assert diary.ran == ["other", "late"]
    await diary.worker.aclose()


async def test_the_place_of_an_urgent_unit_is_held_for_its_next_job(diary: Diary) -> None:
    urgent, rich = Listener(), Listener()
    urgent.ask(0.0, 1.0)
    for listener in (urgent, rich):
        diary.worker.join(listener)
    blocking = await diary.block()
    first = diary.worker.submit(diary.job("1", listener=urgent, more=lambda: True))
    other = diary.worker.submit(diary.job("other", listener=rich))
    diary.gate.set()
    await blocking
    await first
    second = diary.worker.submit(diary.job("2", listener=urgent))
    await asyncio.gather(second, other)
    assert diary.ran == ["1", "2", "other"]
    await diary.worker.aclose()


async def test_faults_are_engine_errors_and_the_thread_lives_on(diary: Diary) -> None:
    with pytest.raises(EngineError, match="ZeroDivisionError"):
        await diary.worker.submit(Job(lambda _share: 1 / 0, due=0.0))
    await diary.worker.submit(diary.job("after"))
    assert diary.ran == ["after"]
    assert diary.worker.busy_s == 0.0
    await diary.worker.aclose()


async def test_closing_drops_what_waits_and_refuses_what_comes(diary: Diary) -> None:
    await diary.block()
    waiting = diary.worker.submit(diary.job("x"))
    closing = asyncio.create_task(diary.worker.aclose())
    with pytest.raises(asyncio.CancelledError):
        await waiting
    diary.gate.set()
    await closing
    assert diary.ran == []
    with pytest.raises(EngineError, match="closed"):
        diary.worker.submit(diary.job("y"))
