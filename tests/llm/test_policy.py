"""Retries, waits and deadlines are decided as documented, on a clock that does not tick."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.policy import (
    Fault,
    FaultKind,
    GiveUp,
    Retry,
    StreamDeadline,
    TurnPolicy,
    parse_retry_after,
)


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


K = FaultKind


@pytest.mark.parametrize(
    ("fault", "decision"),
    [
        (Fault(K.CONNECT), Retry(0.25)),
        (Fault(K.BROKEN), Retry(0.25)),
        (Fault(K.FIRST_TOKEN), Retry(0.0)),
        (Fault(K.STALL), Retry(0.0)),
        (Fault(K.EMPTY), Retry(0.0)),
        (Fault(K.SERVER, 500), Retry(0.25)),
        (Fault(K.SERVER, 503, retry_after_s=1.5), Retry(1.5)),
        (Fault(K.SERVER, 503, retry_after_s=30), GiveUp()),
        (Fault(K.RATE_LIMIT, 429, retry_after_s=1), Retry(1)),
        (Fault(K.RATE_LIMIT, 429, retry_after_s=2), Retry(2)),
        (Fault(K.RATE_LIMIT, 429, retry_after_s=2.1), GiveUp()),
        (Fault(K.RATE_LIMIT, 429), GiveUp()),
        (Fault(K.REFUSED, 401), GiveUp()),
        (Fault(K.NOT_FOUND, 404), GiveUp()),
        (Fault(K.REJECTED, 400), GiveUp()),
        (Fault(K.TOO_LONG, 400), GiveUp()),
        (Fault(K.UNEXPECTED), GiveUp()),
    ],
    ids=str,
)
def test_the_first_fault(fault: Fault, decision: Retry | GiveUp) -> None:
    assert TurnPolicy(1, 2.0).decide(fault, spoken=False) == decision


faults = st.builds(
    Fault, st.sampled_from(K), retry_after_s=st.none() | st.floats(0, 100, allow_nan=False)
)


@given(st.lists(faults, max_size=8), st.integers(0, 3), st.floats(0, 10))
def test_never_more_retries_than_allowed_nor_waits_longer(
    storm: list[Fault], retries: int, longest: float
) -> None:
    policy = TurnPolicy(retries, longest)
    decisions = [policy.decide(fault, spoken=False) for fault in storm]
    waits = [decision.after_s for decision in decisions if isinstance(decision, Retry)]
    assert len(waits) <= retries
    assert all(wait <= max(longest, 0.25) for wait in waits)


@given(faults)
def test_no_retry_once_words_have_left(fault: Fault) -> None:
    assert TurnPolicy(3, 100.0).decide(fault, spoken=True) == GiveUp()


def test_the_deadline_moves_with_progress_only() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=15, stall_s=3)
    assert deadline.remaining_s == 15
    assert deadline.fault.kind is K.FIRST_TOKEN
    clock.now += 14
    assert deadline.remaining_s == 1
    deadline.progress()
    assert deadline.remaining_s == 3
    clock.now += 4
    assert deadline.remaining_s == 0
    assert deadline.fault.kind is K.STALL


def test_a_tool_call_that_is_written_for_ever_is_a_stall() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=15, stall_s=3)
    start = clock.now
    while not deadline.too_late:
        deadline.progress(heard=False)
        clock.now += 1
    assert clock.now - start == StreamDeadline.SILENCE_S
    assert deadline.fault.kind is K.STALL


def test_words_end_the_silence_and_an_answer_still_has_an_end() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=15, stall_s=3)
    start = clock.now
    while not deadline.too_long:
        assert not deadline.too_late
        deadline.progress()
        clock.now += 2
    assert clock.now - start == StreamDeadline.LONGEST_S


def test_time_in_which_nobody_read_on_is_not_the_servers() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=15, stall_s=3)
    deadline.progress()
    clock.now += 2000
    deadline.waited(2000)
    assert deadline.remaining_s == 3
    assert not deadline.too_long
    clock.now += 3
    assert deadline.too_late


def test_a_patient_first_token_limit_is_kept() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=90, stall_s=3)
    clock.now += 80
    deadline.progress(heard=False)
    assert deadline.remaining_s == 3


def test_after_the_finish_reason_little_time_is_left() -> None:
    clock = FakeClock()
    deadline = StreamDeadline(clock, first_token_s=15, stall_s=3)
    deadline.finish()
    assert deadline.finished
    assert deadline.remaining_s == StreamDeadline.END_S


NOW = datetime(2026, 10, 21, 7, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("1", 1.0),
        (" 1.5 ", 1.5),
        ("-1", None),
        ("soon", None),
        ("1e9", None),
        ("٣", None),
        ("1.2.3", None),
        (".", None),
        ("Wed, 21 Oct 2026 07:28:02 GMT", 2.0),
        ("Wed, 21 Oct 2026 07:28:02 -0000", 2.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 99 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, NOW) == seconds


@given(st.text())
def test_no_header_breaks_it(header: str) -> None:
    seconds = parse_retry_after(header, NOW)
    assert seconds is None or seconds >= 0
