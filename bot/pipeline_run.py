"""A running pipeline that ends in bounded time, whatever state it is in."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from loguru import logger
from pipecat.frames.frames import CancelFrame, EndFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.utils.asyncio.task_manager import TaskManager
from pipecat.workers.runner import WorkerRunner

FORCED_ROUNDS = 3
"""Pipecat's worker answers a first cancellation by waiting again; the second ends it."""

FORCED_ROUND_S = 0.01
FORCED_CLEANUP_S = 0.07


class PipelineRun:
    """Runs ``worker``, whose pipeline is ``pipeline``, once.

    ``cut`` ends it from any task, before, during and after the run, any number of times. The
    processors then get ``teardown_s`` to close what they hold; what hangs is cancelled.
    """

    def __init__(self, pipeline: Pipeline, worker: PipelineWorker, *, teardown_s: float) -> None:
        self._pipeline = pipeline
        self._worker = worker
        self._teardown_s = teardown_s
        self._cut = asyncio.Event()
        self._draining = False

    def cut(self) -> None:
        """End now; what is queued is not played."""
        self._cut.set()

    async def drain(self) -> None:
        """End when what is queued has been played."""
        self._draining = True
        await self._worker.queue_frame(EndFrame())

    async def run(self) -> None:
        """Until the end; cancelling this is a cut too. Not run at all after a cut."""
        if self._cut.is_set():
            return
        tasks = TaskManager()
        # Tasks that a cut leaves behind are ended below; nobody has to be told of them.
        runner = WorkerRunner(handle_sigint=False, task_manager=tasks, check_dangling_tasks=False)
        await runner.add_workers(self._worker)
        running = asyncio.create_task(runner.run(), name="pipeline")
        cut = asyncio.create_task(self._cut.wait(), name="pipeline cut")
        try:
            await asyncio.wait({running, cut}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            cut.cancel()
            await self._stop(running, tasks)
            for task in tasks.current_tasks():
                task.cancel()
        running.result()

    async def _stop(self, running: asyncio.Task[None], tasks: TaskManager) -> None:
        if running.done():
            return
        try:
            await self._cancel()
            await asyncio.wait({running}, timeout=self._teardown_s)
        finally:
            if not running.done():
                await self._force(running, tasks)

    async def _cancel(self) -> None:
        await self._worker.cancel()
        if self._draining:
            # The worker takes nothing from its queue until the EndFrame is through, without a
            # limit; the frame that ends that wait must go past the queue.
            await self._pipeline.queue_frame(CancelFrame())

    async def _force(self, running: asyncio.Task[None], tasks: TaskManager) -> None:
        logger.info("the pipeline did not close in time and was cut off")
        for _ in range(FORCED_ROUNDS):
            for task in tasks.current_tasks():
                task.cancel()
            await asyncio.wait({running}, timeout=FORCED_ROUND_S)
        running.cancel()
        with suppress(TimeoutError):  # Whatever hung may hang here again.
            async with asyncio.timeout(FORCED_CLEANUP_S):
                await self._pipeline.cleanup()
