"""Every tool call in the context has a result behind it, in whatever order frames arrive."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pipecat.frames.frames import (
    Frame,
    FunctionCallCancelFrame,
    FunctionCallFromLLM,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair
from pipecat.tests.utils import run_test

from processors.settled_calls import SettledCalls

NAME = "stock"


def announced(call_id: str) -> FunctionCallInProgressFrame:
    return FunctionCallInProgressFrame(NAME, call_id, {}, cancel_on_interruption=True)


def started(context: LLMContext, *ids: str) -> FunctionCallsStartedFrame:
    calls = [FunctionCallFromLLM(NAME, call_id, {}, context) for call_id in ids]
    return FunctionCallsStartedFrame(calls)


async def context_after(ids: list[str], frames: list[Frame]) -> list[Any]:
    context = LLMContext()
    pair = LLMContextAggregatorPair(context)
    await run_test(
        Pipeline([SettledCalls(), pair.assistant()]),
        frames_to_send=[started(context, *ids), *frames],
    )
    return list(context.get_messages())


def check(messages: list[Any], ids: set[str]) -> None:
    """As OpenAI wants it: each call, then its result; and no call is still in progress."""
    assert len(messages) == 2 * len(ids)
    for call, result in zip(messages[::2], messages[1::2], strict=True):
        assert call["tool_calls"][0]["id"] == result["tool_call_id"]
        assert result["role"] == "tool"
        assert result["content"] != "IN_PROGRESS"
    assert {message["tool_call_id"] for message in messages[1::2]} == ids


async def test_a_cancellation_that_overtook_its_call() -> None:
    frames = [FunctionCallCancelFrame(NAME, "a"), InterruptionFrame(), announced("a")]
    messages = await context_after(["a"], frames)
    check(messages, {"a"})
    assert messages[1]["content"] == '"CANCELLED"'


async def test_a_result_stays_a_result() -> None:
    frames = [announced("a"), FunctionCallResultFrame(NAME, "a", {}, {"result": 12})]
    messages = await context_after(["a"], frames)
    check(messages, {"a"})
    assert "12" in messages[1]["content"]


async def test_a_result_behind_the_cancellation_is_dropped() -> None:
    result = FunctionCallResultFrame(NAME, "a", {}, {"result": 12})
    frames = [announced("a"), FunctionCallCancelFrame(NAME, "a"), result]
    down, _ = await run_test(SettledCalls(), frames_to_send=frames)
    outcomes = [frame.result for frame in down if isinstance(frame, FunctionCallResultFrame)]
    assert outcomes == ["CANCELLED"]


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[str], list[Frame]]:
    """Up to three calls, each cancelled before or after its announcement, or answered."""
    ids = ["a", "b", "c"][: draw(st.integers(1, 3))]
    queues: list[list[Frame]] = []
    for call_id in ids:
        cancel = FunctionCallCancelFrame(NAME, call_id)
        result = FunctionCallResultFrame(NAME, call_id, {}, {"result": 1})
        queue: list[Frame] = draw(
            st.sampled_from([
                [announced(call_id), cancel],
                [cancel, announced(call_id)],
                [announced(call_id), result],
            ])
        )  # fmt: skip
        queues.append(queue)
    queues.append([InterruptionFrame()] * draw(st.integers(0, 2)))
    order = draw(st.permutations([i for i, queue in enumerate(queues) for _ in queue]))
    rest = [iter(queue) for queue in queues]
    return ids, [next(rest[i]) for i in order]


@given(arrivals())
@settings(max_examples=12, deadline=None)
def test_any_order(arrival: tuple[list[str], list[Frame]]) -> None:
    ids, frames = arrival
    check(asyncio.run(context_after(ids, frames)), set(ids))
