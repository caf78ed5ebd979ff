"""Guards: units leave the aggregator as the text allows, and the record keeps what was written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipecat.frames.frames import (
    AggregatedTextFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.tests.utils import SleepFrame, run_test

from processors import aggregator as aggregator_module
from processors.aggregator import BEFORE, CLAIMS, GAP, UNSPOKEN, UnitAggregator
from speech.backlog import Backlog
from speech.evidence.markers import MarkerParser
from speech.units.release import ReleaseRules
from tests.units.rows import is_right, reported

PAUSE = SleepFrame(0.1)
QUICK = ReleaseRules(first_clause=False, stall_s=0.01)


async def units(
    aggregator: UnitAggregator, *frames: Frame, ended: bool = True
) -> list[AggregatedTextFrame]:
    reply = [LLMFullResponseStartFrame(), *frames]
    end: list[Frame] = [LLMFullResponseEndFrame()] if ended else []
    down, _ = await run_test(aggregator, frames_to_send=[*reply, *end])
    return [frame for frame in down if type(frame) is AggregatedTextFrame]


def tokens(*texts: str) -> list[Frame]:
    return [LLMTextFrame(text) for text in texts]


def written(frames: Sequence[AggregatedTextFrame]) -> str:
    return "".join(
        frame.metadata.get(BEFORE, "") + frame.text + frame.metadata.get(GAP, "")
        for frame in frames
    )


@pytest.mark.parametrize("case", reported()[::4], ids=lambda case: case["id"])
async def test_reported_cases(case: dict[str, Any]) -> None:
    aggregator = UnitAggregator(lang=case.get("lang", "en"))
    found = await units(aggregator, *tokens(*case["tokens"]))
    assert is_right(case, [frame.text for frame in found if not frame.skip_tts])
    assert all(frame.append_to_context for frame in found)


@pytest.mark.parametrize(
    "text", ["Hi! How are you?\nFine. Go on", "駅です。切符です。", "Well…\n\nYes. *Hm* no."]
)
async def test_spacing_is_kept(text: str) -> None:
    assert written(await units(UnitAggregator(), *tokens(text))) == f"{text} "


class FakeDownstream(UnitAggregator):
    """Keeps the units it hands on, without a pipeline."""

    async def push_frame(
        self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM
    ) -> None:
        self.units = getattr(self, "units", [])
        self.units += [frame] if isinstance(frame, AggregatedTextFrame) else []


SCRAP = st.sampled_from([*"a.!。\n* ", "\r\n", "Hi! ", "```", "駅です。", "“", "”", " 👍", "\t"])


@given(st.lists(SCRAP, max_size=12).map("".join), st.lists(st.integers(1, 4), min_size=1))
@settings(max_examples=60, deadline=None)
async def test_spacing_is_kept_in_any_tokens(text: str, sizes: list[int]) -> None:
    aggregator, rest = FakeDownstream(), text
    frames: list[Frame] = [LLMFullResponseStartFrame()]
    for size in cycle(sizes):
        frames += tokens(rest[:size])
        rest = rest[size:]
        if not rest:
            break
    for frame in [*frames, LLMFullResponseEndFrame()]:
        await aggregator.process_frame(frame, FrameDirection.DOWNSTREAM)
    assert written(aggregator.units).strip() == text.strip()


async def test_code_goes_by_unspoken() -> None:
    text = "Run this:\n```\nx. Y\n```\nDone."
    found = await units(UnitAggregator(), *tokens(text))
    assert [(frame.text_type, frame.skip_tts) for frame in found] == [
        ("sentence", None), (UNSPOKEN, True), ("sentence", None),
    ]  # fmt: skip
    assert written(found) == f"{text} "


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        (["one two three four fi", PAUSE, "ve."], ["one two three four", "five."]),
        (["one two", PAUSE, " three."], ["one two three."]),
        (["One moment.", PAUSE, " There."], ["One moment.", "There."]),
        (["I will not ", PAUSE, "do that."], ["I will not do that."]),
        (["Ask for Dr.", PAUSE, " Moss."], ["Ask for Dr. Moss."]),
        (["You have to pay 12.", PAUSE, "50 now."], ["You have to pay", "12.50 now."]),
    ],
)
async def test_a_model_that_pauses_is_heard_so_far(
    frames: list[str | SleepFrame], expected: list[str]
) -> None:
    sent = [frame if isinstance(frame, Frame) else LLMTextFrame(frame) for frame in frames]
    found = await units(UnitAggregator(rules=QUICK), *sent)
    assert [frame.text for frame in found] == expected


@pytest.mark.parametrize("waits", [True, False])
async def test_a_pause_while_units_wait_for_the_voice_is_not_the_models(
    waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aggregator_module, "LOOK_AGAIN_S", 0.01)
    backlog = Backlog(100)
    backlog.put("a unit", 10, ready=waits)
    words = [*tokens("If you come by on Friday, "), PAUSE, *tokens("the shop is open.")]
    found = await units(UnitAggregator(rules=QUICK, backlog=backlog), *words)
    parts = ["If you come by on Friday,", "the shop is open."]
    assert [frame.text for frame in found] == ([" ".join(parts)] if waits else parts)


async def test_a_pause_counts_again_when_no_unit_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregator_module, "LOOK_AGAIN_S", 0.01)
    backlog = Backlog(100)
    backlog.put("a unit", 10, ready=True)
    asyncio.get_running_loop().call_later(0.05, backlog.take, "a unit")
    words = [*tokens("If you come by on Friday, "), SleepFrame(0.3), *tokens("the shop is open.")]
    found = await units(UnitAggregator(rules=QUICK, backlog=backlog), *words)
    assert [frame.text for frame in found] == ["If you come by on Friday,", "the shop is open."]


class FakeClock:
    """Each look at it is a tenth of a second later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.1
        return self.now


SLOW = tokens(
    "If", " you", " come", " by", " on", " Fri", "day", ",", " the", " shop", " is", " open."
)


async def test_a_slow_model_needs_no_clause_while_units_wait() -> None:
    backlog = Backlog(100)
    backlog.put("a unit", 10, ready=True)
    found = await units(UnitAggregator(clock=FakeClock(), backlog=backlog), *SLOW)
    assert [frame.text for frame in found] == ["If you come by on Friday, the shop is open."]


async def test_a_slow_model_is_heard_after_its_first_clause() -> None:
    found = await units(UnitAggregator(clock=FakeClock()), *SLOW)
    assert [frame.text for frame in found] == ["If you come by on Friday,", "the shop is open."]


async def test_a_fast_model_is_heard_in_whole_sentences() -> None:
    found = await units(UnitAggregator(clock=lambda: 1.0), *SLOW)
    assert [frame.text for frame in found] == ["If you come by on Friday, the shop is open."]


async def test_an_interruption_drops_what_waits() -> None:
    frames = [
        *tokens("One. Two"),
        SleepFrame(),
        InterruptionFrame(),
        SleepFrame(),
        *tokens("Three"),
    ]
    found = await units(UnitAggregator(), *frames)
    assert [frame.text for frame in found] == ["One.", "Three"]


async def test_the_end_of_the_conversation_brings_the_rest() -> None:
    down, _ = await run_test(
        UnitAggregator(), frames_to_send=[*tokens("One. Two"), EndFrame()], send_end_frame=False
    )
    assert [frame.text for frame in down if type(frame) is AggregatedTextFrame] == ["One.", "Two"]


async def test_a_reply_that_is_not_spoken_stays_so() -> None:
    frames = tokens("One. Two")
    for frame in frames:
        frame.skip_tts = True  # type: ignore[attr-defined]
    end = LLMFullResponseEndFrame()
    end.skip_tts = True
    found = await units(UnitAggregator(), *frames, end, ended=False)
    assert [(frame.text, frame.skip_tts) for frame in found] == [("One.", True), ("Two", True)]


async def test_a_part_that_is_not_spoken_stays_a_part() -> None:
    frames = tokens("One. Two", " three. Four", " five.")
    frames[1].skip_tts = True  # type: ignore[attr-defined]
    found = await units(UnitAggregator(), *frames)
    assert [(frame.text, bool(frame.skip_tts)) for frame in found] == [
        ("One.", False), ("Two", False), ("three.", True), ("Four", True), ("five.", False),
    ]  # fmt: skip
    assert written(found) == "One. Two three. Four five. "


async def test_units_end_where_the_claims_change_and_name_them() -> None:
    aggregator = UnitAggregator(claims=MarkerParser())
    found = await units(aggregator, *tokens("Sure <pend", 'ing id="a">it is booked.</pending> Bye'))
    assert [(frame.text, frame.metadata.get(CLAIMS)) for frame in found] == [
        ("Sure", None), ("it is booked.", ["a"]), ("Bye", None),
    ]  # fmt: skip
