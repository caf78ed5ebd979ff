"""A call always gives the model a result it can use, whatever the function does."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from loguru import logger

from bot.llm.assembly import BAD_ARGUMENTS_KEY
from bot.tools import Tool, ToolContext, ToolError
from bot.tools.threads import MAX_THREADS
from bot.tools.tool import MAX_RESULT_CHARS
from tests.tools.fakes import FakeVoice, settle


def context(timeout_s: float = 5.0) -> ToolContext:
    return ToolContext(say=FakeVoice().say, timeout_s=timeout_s)


async def call(function: Callable[..., Any], timeout_s: float = 5.0, **given: Any) -> Any:
    return await Tool(function, context(timeout_s)).call(given)


async def test_an_async_function() -> None:
    async def add(a: int, b: int = 2) -> int:
        """Add."""
        return a + b

    assert await call(add, a=1) == {"result": 3}
    assert await call(add, a="4", b=4) == {"result": 8}


async def test_a_sync_function_runs_off_the_loop() -> None:
    def where() -> bool:
        """Which thread."""
        return threading.current_thread() is threading.main_thread()

    assert await call(where) == {"result": False}


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, "done"),
        ("", ""),
        (0, 0),
        ([1], [1]),
        (date(2026, 1, 2), "2026-01-02"),
        ({1: {2}}, {"1": [2]}),
        ("x" * 9000, "x" * MAX_RESULT_CHARS + " (cut)"),
    ],
)
async def test_any_result_is_json_and_truthy_for_pipecat(value: Any, result: Any) -> None:
    async def give() -> Any:
        """Give."""
        return value

    assert await call(give) == {"result": result}


async def test_an_object_that_json_does_not_know_is_shown_as_text() -> None:
    async def give() -> Any:
        """Give."""
        return threading.Lock

    assert isinstance((await call(give))["result"], str)


async def test_bad_arguments_do_not_reach_the_function() -> None:
    ran: list[int] = []

    async def note(a: int) -> None:
        """Note."""
        ran.append(a)

    assert "field required" in (await call(note))["error"]
    assert "valid integer" in (await call(note, a="x"))["error"]
    assert "JSON object" in (await call(note, **{BAD_ARGUMENTS_KEY: "{"}))["error"]
    assert ran == []


async def test_failures_are_results() -> None:
    async def refuse() -> None:
        """Refuse."""
        raise ToolError("The shop is closed.")

    def crash() -> None:
        """Crash."""
        raise ValueError("secret detail")

    async def give_up() -> None:
        """A time limit of its own."""
        raise TimeoutError

    assert await call(refuse) == {"error": "The shop is closed."}
    assert await call(crash) == {"error": "crash failed"}
    assert await call(give_up) == {"error": "give_up failed"}


async def test_the_time_limit_holds_for_async_and_sync() -> None:
    release = threading.Event()

    async def slow() -> None:
        """Slow."""
        await asyncio.sleep(60)

    def stuck() -> None:
        """Stuck."""
        release.wait(60)

    try:
        for function in (slow, stuck):
            result = await call(function, timeout_s=0.1)
            assert result == {"error": f"{function.__name__} took longer than 0.1 seconds"}
    finally:
        release.set()


async def test_stuck_threads_are_bounded_and_others_say_so() -> None:
    release, started = threading.Event(), threading.Barrier(MAX_THREADS + 1)

    def stuck() -> None:
        """Stuck."""
        started.wait(10)
        release.wait(60)

    calls = [asyncio.create_task(call(stuck)) for _ in range(MAX_THREADS)]
    try:
        await asyncio.to_thread(started.wait, 10)
        assert "busy" in (await call(stuck))["error"]
    finally:
        release.set()
    assert await asyncio.gather(*calls) == [{"result": "done"}] * MAX_THREADS


STUCK = """
import asyncio, time
from bot.tools import Tool, ToolContext
def stuck() -> None:
    '''Stuck.'''
    time.sleep(600)
print(asyncio.run(Tool(stuck, ToolContext(say=None, timeout_s=0.1)).call({})))
"""


async def test_a_stuck_thread_does_not_keep_the_process() -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", STUCK, stdout=-1)
    try:
        async with asyncio.timeout(30):
            out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert b"took longer" in out


async def test_cancelling_a_call_cancels_the_function() -> None:
    cancelled = asyncio.Event()

    async def slow() -> None:
        """Slow."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    running = asyncio.create_task(call(slow))
    await settle()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert cancelled.is_set()


async def test_the_context_is_given_and_its_tasks_end_with_the_tool() -> None:
    ended = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def start(context: ToolContext) -> None:
        """Start."""
        context.spawn(wait(), "wait")

    tool = Tool(start, context())
    assert await tool.call({}) == {"result": "done"}
    assert tool.schema.properties == {}
    await settle()
    await tool.aclose()
    await tool.aclose()
    assert ended.is_set()


@pytest.mark.parametrize("log_text", [False, True])
async def test_the_log_tells_kind_and_place_of_a_failure_and_its_text_only_if_allowed(
    log_text: bool,
) -> None:
    async def crash() -> None:
        """Crash."""
        raise ValueError("my pin is 4711")

    async def start(context: ToolContext) -> None:
        """Start."""
        context.spawn(crash(), "later")

    lines: list[str] = []
    sink = logger.add(lines.append, level="TRACE")
    try:
        own = ToolContext(say=FakeVoice().say, log_text=log_text)
        assert await Tool(crash, own).call({}) == {"error": "crash failed"}
        await Tool(start, own).call({})
        await settle()
    finally:
        logger.remove(sink)
    for line, what in zip(lines, ("the tool crash", "the tool task later"), strict=True):
        assert f"{what} failed (ValueError at test_tool.py:" in line
        assert ("4711" in line) == log_text
