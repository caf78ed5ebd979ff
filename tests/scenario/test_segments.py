"""The wait before an answer is a chain without holes that adds up to the whole wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.scenario.segments import SEGMENTS, segments, slowest

TIMES = {
    "stt_final": 0.5, "llm_request": 0.6, "llm_first_token": 1.6, "tts_request": 1.7,
    "synthesis_start": 1.7, "first_chunk": 2.0, "scheduled": 2.05, "audible": 2.1,
}  # fmt: skip


def test_each_part_begins_where_the_one_before_ended() -> None:
    chain = segments(TIMES, endpoint=0.2)
    assert [(p.name, round(p.length, 3)) for p in chain] == [
        ("endpointing", 0.2), ("speech to text", 0.3), ("end of turn", 0.1),
        ("LLM first token", 1.0), ("unit wait", 0.1), ("voice first audio", 0.3),
        ("transport", 0.05), ("audible", 0.05),
    ]  # fmt: skip
    longest = slowest(chain)
    assert longest is not None
    assert longest.name == "LLM first token"


def test_a_missing_stage_joins_the_next_one() -> None:
    chain = segments({k: v for k, v in TIMES.items() if k != "llm_first_token"})
    assert ("unit wait", pytest.approx(1.1)) in [(p.name, p.length) for p in chain]


def test_a_tool_that_ran_behind_the_first_words_took_none_of_the_wait() -> None:
    chain = segments(TIMES | {"tool_result": TIMES["audible"] + 1.0})
    assert "tools" not in [segment.name for segment in chain]
    assert chain == segments(TIMES)


def test_nothing_audible_is_no_chain() -> None:
    assert segments({"stt_final": 0.5}) == []
    assert slowest([]) is None


@given(
    st.dictionaries(st.sampled_from([stage for _, stage, _ in SEGMENTS]), st.floats(-5, 50)),
    st.floats(0, 50),
)
def test_whatever_the_order_no_part_is_negative_and_all_add_up(
    times: dict[str, float], audible: float
) -> None:
    chain = segments(times | {"audible": audible})
    assert all(part.length >= 0 for part in chain)
    assert sum(part.length for part in chain) == pytest.approx(audible)
