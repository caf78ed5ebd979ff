"""Guards: a unit leaves with the first character that makes its end certain."""

from __future__ import annotations

import pytest

from speech.units import UnitSplitter


@pytest.mark.parametrize(
    ("lang", "ended", "seen", "then"),
    [
        ("en", "It works.", " ", "N"),
        ("en", "It works.", " \t“", "N"),
        ("en", "It works.", "", "\n"),
        ("en", "It works!", "", " "),
        ("en", "Is it?”", " ", "N"),
        ("en", "“Is it?”", " He", " "),
        ("en", "“Is it?”", " ", "“N"),
        ("en", "“Is it?”", " Ann", " went "),
        ("de", "Ist es?”", " ", "N"),
        ("en", "In 1987.", " ", "I"),
        ("en", "He is in the U.S.", " The", " "),
        ("en", "It closes at 6 p.m.", " Call", " "),
        ("en", "A line", "", "\n"),
        ("ja", "駅です。", "", "切"),
        ("hi", "तैयार है।", "", " "),
        ("ar", "هل أنت جاهز؟", "", " "),
        ("el", "Τι ώρα είναι;", "", " "),
    ],
)
def test_leaves_at_once(lang: str, ended: str, seen: str, then: str) -> None:
    splitter = UnitSplitter(lang)
    assert splitter.feed(ended + seen) == []
    assert [unit.text for unit in splitter.feed(then)] == [ended]


def test_positions_are_those_of_the_reply_and_a_second_reply_begins_at_zero() -> None:
    splitter = UnitSplitter()
    for _ in range(2):
        units = splitter.feed("One. Two") + splitter.finish()
        assert [(unit.start, unit.end) for unit in units] == [(0, 4), (4, 8)]


def test_a_long_sentence_is_parted_at_its_last_clause_or_word() -> None:
    splitter = UnitSplitter(longest=100)
    clause = "word " * 17 + "so,"
    assert splitter.feed(clause + " on" * 50)[0].text == clause
    assert [unit.text for unit in UnitSplitter(longest=50).feed("word " * 11)] == [
        ("word " * 10).strip()
    ]
    assert [unit.text for unit in UnitSplitter(longest=50).feed("x" * 51)] == ["x" * 50]
    assert [unit.text for unit in UnitSplitter(longest=50).feed("7" * 51)] == ["7" * 12] * 4


@pytest.mark.parametrize(
    ("waiting", "clause", "words"),
    [
        ("If you come by on Friday, we", "If you come by on Friday,", "If you come by on Friday,"),
        ("If you come by on Friday we", "", "If you come by on Friday"),
        ("You will need at least 2, ", "", "You will need at least"),
        ("That is most surely not, I", "", "That is most surely"),
        ("It is here.", "It is here.", "It is here."),
        ("I saw the good Dr.", "", "I saw the good"),
        ("Well, ", "", ""),
        ("Run the tool `a, b c, d` now", "", "Run the tool `a, b c, d`"),
    ],
)
def test_what_can_be_spoken_without_the_rest(waiting: str, clause: str, words: str) -> None:
    splitter = UnitSplitter()
    assert splitter.feed(waiting) == []
    assert splitter.safe_clause() == clause
    assert splitter.safe_clause(whole=False) == words
