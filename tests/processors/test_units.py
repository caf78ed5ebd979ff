"""Guards: an answer without a sentence's end is heard all the same, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipecat.frames.frames import (
    AggregatedTextFrame,
    Frame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.tests.utils import SleepFrame, run_test
from pipecat.utils.text.simple_text_aggregator import SimpleTextAggregator

from processors.units import LEAST_CHARS, LONGEST_CHARS, UnitAggregator, Units

WORDS = st.sampled_from(
    ["word", "Dr.", "well,", "end.", "Yes!", "3.5", "\n", "—", "x" * 300, "“no”"]
)
TEXTS = st.lists(WORDS, max_size=120).map(" ".join)


async def units_of(aggregator: SimpleTextAggregator, tokens: Sequence[str]) -> list[str]:
    found = [unit.text for token in tokens async for unit in aggregator.aggregate(token)]
    last = await aggregator.flush()
    return found + ([last.text] if last else [])


@given(text=TEXTS, size=st.integers(1, 30))
@settings(max_examples=60, deadline=None)
async def test_nothing_is_lost_or_waits_for_long(text: str, size: int) -> None:
    tokens = [text[at : at + size] for at in range(0, len(text), size)]
    units = await units_of(UnitAggregator(), tokens)
    assert "".join("".join(units).split()) == "".join(text.split())
    assert max(map(len, units), default=0) <= LONGEST_CHARS + 1
    assert units == await units_of(UnitAggregator(), [text])  # however it is cut into tokens


@given(st.lists(st.sampled_from(["Dr. Who is here. ", "Is it 3.5, or 4? ", "So: no; yes! "])))
@settings(max_examples=30, deadline=None)
async def test_sentences_are_pipecats(sentences: list[str]) -> None:
    text = "".join(sentences)
    assert await units_of(UnitAggregator(), [text]) == await units_of(
        SimpleTextAggregator(), [text]
    )


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("word " * 100, ("word " * 50).strip()),
        ("one two, " + "word " * 100, ("one two, " + "word " * 48).strip()),  # too short a clause
        ("word " * 30 + "so, " + "word " * 60, "word " * 30 + "so,"),
        ("x" * 600, "x" * (LONGEST_CHARS + 1)),
    ],
)
async def test_where_it_is_cut(text: str, first: str) -> None:
    assert LEAST_CHARS < 30 * 5
    assert (await units_of(UnitAggregator(), [text]))[0] == first


async def spoken(*frames: Frame) -> list[str]:
    reply = [LLMFullResponseStartFrame(), *frames, LLMFullResponseEndFrame()]
    down, _ = await run_test(Units(pause_s=0.01), frames_to_send=reply)
    return [frame.text for frame in down if type(frame) is AggregatedTextFrame]


PAUSE = SleepFrame(0.1)


@pytest.mark.parametrize(
    ("frames", "units"),
    [
        ([LLMTextFrame("one two three four fi"), PAUSE, LLMTextFrame("ve.")],
         ["one two three four", "five."]),
        ([LLMTextFrame("one two"), PAUSE, LLMTextFrame(" three.")], ["one two three."]),
    ],
)  # fmt: skip
async def test_a_model_that_pauses_is_heard_so_far(frames: list[Frame], units: list[str]) -> None:
    assert await spoken(*frames) == units
