"""Guards: units are the reply, whole and in order, whatever the text and however it is cut.

``python -m tests.units.test_properties 100000`` runs that many random streams.
"""

from __future__ import annotations

import random
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from speech.units import Unit, UnitKind, UnitSplitter
from speech.units.characters import SPEAKABLE
from speech.units.fence import LONGEST_PIECE
from tests.units.rows import labelled

LANGS = ("en", "de", "fr", "ru", "el", "ja", "hi", "ar", "tr", "xx", "")
SCRAPS = [
    ". ", "! ", "? ", "...", "…", "\n", "\n\n", "\r\n", " ", "  ", "\t", "`", "``", "```", "~~~",
    "*", "**", "_", "#", "- ", "1. ", "12", "3.5", "Dr. ", "e.g. ", "U.S. ", "p.m. ", "J. ",
    "z. B. ", "\"", "“", "”", "«", "» ", "(", ")", "[", "](", "|", "。", "「", "」",
    "です", "。」と",
    "你好",
    "।", "؟", "۔", "नमस्ते", "مرحبا", "Привет", ";", ":", ", ", "Hello", "the", "word", "A", "I", "x",
    "🎉", "👩\u200d👩\u200d👧", "👍🏽", "e\u0301", "\u200d", "\x1b[31m", "\x00", "\u2028", "\ud83d",
    "http://a.b/c?d=e", "a@b.co", "file.txt", "x" * 300, "word " * 70, "7" * 90,
]  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join),
    st.text(max_size=200),
    st.sampled_from([row.text for row in labelled()]),
)


def cut(text: str, lang: str, chance: random.Random, most: int) -> list[Unit]:
    """The units of the text in tokens of 0 to ``most`` characters."""
    splitter, units, at = UnitSplitter(lang), [], 0
    while at < len(text):
        size = chance.randint(0, most)
        units += splitter.feed(text[at : at + size])
        at += size
        assert len(splitter.pending) < 2 * LONGEST_PIECE
    return units + splitter.finish()


def check(text: str, units: list[Unit]) -> None:
    """What holds for the units of every text."""
    assert "".join(unit.written for unit in units) == text
    end = 0
    for unit in units:
        assert (unit.start, unit.end) == (end, end + len(unit.written))
        end = unit.end
        assert unit.text == (unit.written.strip() if unit.kind is UnitKind.SPOKEN else "")
        assert bool(unit.text) is (unit.kind is UnitKind.SPOKEN)
        assert not unit.text or SPEAKABLE.search(unit.text)
        assert len(unit.written) <= max(1_000, LONGEST_PIECE + 100)


@given(text=TEXTS, lang=st.sampled_from(LANGS), seed=st.integers(), most=st.integers(1, 50))
@settings(max_examples=80, deadline=None)
def test_any_tokens_give_the_same_units(text: str, lang: str, seed: int, most: int) -> None:
    whole = UnitSplitter(lang).feed
    splitter = UnitSplitter(lang)
    units = splitter.feed(text) + splitter.finish()
    check(text, units)
    assert cut(text, lang, random.Random(seed), most) == units
    assert whole("") == []


@given(text=TEXTS, every=st.integers(1, 20))
@settings(max_examples=40, deadline=None)
def test_clauses_taken_at_any_time_lose_nothing(text: str, every: int) -> None:
    splitter, units = UnitSplitter(), list[Unit]()
    for number, character in enumerate(text):
        units += splitter.feed(character)
        if number % every == 0:
            whole = number % 2 == 0
            clause = splitter.safe_clause(whole=whole)
            unit = splitter.take_clause(whole=whole)
            assert (unit.text if unit else "") == clause
            units += [unit] if unit else []
        if number % (7 * every) == 0:
            units += splitter.end_unit()
    check(text, units + splitter.finish())


def main(count: int) -> None:
    """Random streams, mixed from everything."""
    chance = random.Random(4)
    for number in range(count):
        text = "".join(chance.choices(SCRAPS, k=chance.randint(0, 60)))
        lang = chance.choice(LANGS)
        units = cut(text, lang, chance, 12)
        check(text, units)
        assert cut(text, lang, chance, 300) == units, (number, text, lang)


if __name__ == "__main__":
    main(int(sys.argv[1]))
