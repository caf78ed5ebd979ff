"""A word is credited when its end was audible: never one that was not played, none is lost."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.heard.ledger import HeardLedger

SHOP = ["Our", "shop", "opens", "at", "nine", "every", "day."]
SHOP_ENDS_MS = [200, 400, 650, 800, 1100, 1400, 1800]


def _shop() -> HeardLedger[str]:
    ledger: HeardLedger[str] = HeardLedger()
    for word, end_ms in zip(SHOP, SHOP_ENDS_MS, strict=True):
        ledger.word(word, end_ms / 1000)
    return ledger


@pytest.mark.parametrize(
    ("played_ms", "heard"),
    [
        (0, ""),
        (199.9, ""),
        (200, "Our"),
        (700, "Our shop opens"),  # C07
        (1_399, "Our shop opens at nine"),
        (1_800, "Our shop opens at nine every day."),
        (9_000, "Our shop opens at nine every day."),
    ],
)
def test_c07_the_words_played_before_a_cut(played_ms: float, heard: str) -> None:
    ledger = _shop()
    cut = ledger.cut(played_ms / 1000)
    assert " ".join(cut.heard) == heard
    assert cut.heard + cut.unheard == SHOP
    assert len(ledger) == 0
    assert ledger.heard(99.0) == []  # never text of the reply before


def test_what_has_no_sound_stands_behind_the_words_before_it() -> None:
    ledger: HeardLedger[str] = HeardLedger()
    ledger.follow("start")
    ledger.word("word", 0.5)
    ledger.follow("end")
    assert ledger.heard(0.0) == ["start"]
    assert ledger.heard(0.4) == []
    assert ledger.cut(0.4).unheard == ["word", "end"]


def test_words_that_go_on_after_a_cut_keep_their_place() -> None:
    ledger: HeardLedger[str] = HeardLedger()
    for item, end_s in [("dropped", 0.5), ("kept", 0.8)]:
        ledger.word(item, end_s)
    ledger.follow("kept behind it")
    cut = ledger.cut(0.2, lambda item: item.startswith("kept"))
    assert cut == ([], ["dropped"])
    assert ledger.heard(0.7) == []
    assert ledger.heard(0.8) == ["kept", "kept behind it"]


def test_a_follower_that_is_kept_does_not_wait_for_a_dropped_word() -> None:
    ledger: HeardLedger[str] = HeardLedger()
    ledger.word("dropped", 5.0)
    ledger.follow("kept")
    ledger.cut(0.2, lambda item: item == "kept")
    assert ledger.heard(0.2) == ["kept"]


def test_a_reply_that_ends_early_is_heard_at_its_end() -> None:
    ledger = _shop()
    ledger.cap(1.5)
    assert ledger.heard(1.5) == SHOP


_lengths = st.lists(st.integers(0, 9_000), max_size=30)
_steps = st.lists(st.integers(0, 20_000), max_size=20)


@given(_lengths, _steps)
def test_each_word_is_given_out_once_in_order_and_only_when_its_end_was_reached(
    lengths: list[int], steps: list[int]
) -> None:
    rate, ledger = 24_000, HeardLedger[int]()
    ends = list(accumulate(lengths))
    for number, end in enumerate(ends):
        ledger.word(number, end / rate)
    given_out: list[int] = []
    position = 0
    for step in steps:
        position += step
        given_out += ledger.heard(position / rate)
        assert given_out == [number for number, end in enumerate(ends) if end <= position]
    cut = ledger.cut(position / rate)
    assert given_out + cut.heard + cut.unheard == list(range(len(ends)))


@given(_lengths, st.integers(0, 270_000), st.sets(st.integers(0, 29)))
def test_a_cut_divides_the_words_at_the_position(
    lengths: list[int], position: int, keeps: set[int]
) -> None:
    rate, ledger = 24_000, HeardLedger[int]()
    ends = list(accumulate(lengths))
    for number, end in enumerate(ends):
        ledger.word(number, end / rate)
    cut = ledger.cut(position / rate, keeps.__contains__)
    assert cut.heard == [number for number, end in enumerate(ends) if end <= position]
    later = [number for number, end in enumerate(ends) if end > position]
    assert cut.unheard == [number for number in later if number not in keeps]
    assert ledger.heard(1e9) == [number for number in later if number in keeps]
