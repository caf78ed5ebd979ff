"""Guards: frames keep their order through the gate, and none that must arrive is lost."""

from __future__ import annotations

from typing import Any

import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallFromLLM,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    FunctionCallResultProperties,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSSpeakFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.tests.utils import SleepFrame, run_test
from pipecat.utils.text.base_text_aggregator import TextType

from processors.evidence import EvidenceGate, WithheldFrame
from speech.evidence.rules import Rules
from speech.timeline import Timeline

BOOKED = "It is booked."


def unit(text: str = BOOKED) -> AggregatedTextFrame:
    return AggregatedTextFrame(text, TextType.SENTENCE)


def started() -> FunctionCallsStartedFrame:
    return FunctionCallsStartedFrame([FunctionCallFromLLM("book", "c1", {}, LLMContext())])


def running(lasts: bool = False) -> FunctionCallInProgressFrame:
    return FunctionCallInProgressFrame("book", "c1", {}, cancel_on_interruption=not lasts)


def result(value: Any = "Booked.", **properties: Any) -> FunctionCallResultFrame:
    given = FunctionCallResultProperties(**properties) if properties else None
    return FunctionCallResultFrame("book", "c1", {}, {"result": value}, properties=given)


async def through(*frames: Frame, **rules: Any) -> tuple[list[Any], list[str]]:
    """What came out below, units as their texts; and what was reported as withheld above."""
    settled = [part for frame in frames for part in (frame, SleepFrame(0.01))]
    down, up = await run_test(
        EvidenceGate(Rules(**rules), Timeline(), evidence={"book"}), frames_to_send=settled
    )
    out = [f.text if isinstance(f, AggregatedTextFrame) else type(f) for f in down]
    return out, [frame.text for frame in up if isinstance(frame, WithheldFrame)]


BEGIN, END = LLMFullResponseStartFrame, LLMFullResponseEndFrame
STARTED, RUNNING, RESULT = (
    FunctionCallsStartedFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
)


async def test_the_record_gets_the_claim_before_the_call_and_its_result() -> None:
    frames = [BEGIN(), started(), unit(), END(), running(), result()]
    out, withheld = await through(*frames)
    assert out == [BEGIN, STARTED, BOOKED, END, RUNNING, RESULT]
    assert withheld == []


async def test_a_tool_may_speak_while_it_runs() -> None:
    out, _ = await through(BEGIN(), started(), unit(), TTSSpeakFrame("Still busy."), END())
    assert out.index(TTSSpeakFrame) < out.index(END)
    assert BOOKED not in out


async def test_progress_is_no_result() -> None:
    frames = [BEGIN(), started(), unit(), END(), running(), result(is_final=False)]
    out, withheld = await through(*frames)
    assert out == [BEGIN, STARTED, END, RUNNING, RESULT], "let go by the end of the pipeline"
    assert withheld == [BOOKED]


@pytest.mark.parametrize("times", [1, 2])
async def test_an_interruption_loses_no_call(times: int) -> None:
    cuts = [InterruptionFrame() for _ in range(times)]
    cancelled = FunctionCallCancelFrame("book", "c1")
    frames = [BEGIN(), started(), END(), unit(), running(), cancelled, *cuts]
    out, _ = await through(*frames, policy="hold_with_preamble")
    assert out.count(RUNNING) == 1
    assert BOOKED not in out
    held = [BEGIN(), started(), unit(), END(), running(), *cuts]
    out, withheld = await through(*held)
    again = [InterruptionFrame] * (times - 1)
    assert out == [BEGIN, STARTED, InterruptionFrame, RUNNING, *again]
    assert withheld == []


async def test_a_result_after_the_interruption_brings_nothing_back() -> None:
    frames = [BEGIN(), started(), unit(), END(), running(lasts=True), InterruptionFrame()]
    out, _ = await through(*frames, result(), BEGIN(), unit("Yes?"), END())
    assert out == [BEGIN, STARTED, InterruptionFrame, RUNNING, RESULT, BEGIN, "Yes?", END]


async def test_a_call_that_lasts_holds_the_next_reply() -> None:
    frames = [BEGIN(), started(), END(), running(lasts=True), BEGIN(), unit(), END(), result()]
    out, _ = await through(*frames)
    assert out == [BEGIN, STARTED, END, RUNNING, BEGIN, BOOKED, END, RESULT]


async def test_a_timeout_drops_the_claim() -> None:
    late = FunctionCallCancelFrame("book", "c1", run_llm=True)
    out, withheld = await through(BEGIN(), started(), unit(), END(), running(), late)
    assert BOOKED not in out
    assert withheld == [BOOKED]
    assert out[-2:] == [END, RUNNING]
