"""Random token streams through the splitter: python -m scripts.fuzz_units [COUNT] [SEED]

Mixed scripts, marks, ANSI escapes, markup, blanks. Nothing may be raised, lost or reordered,
what waits stays bounded, and other tokens of the same text give the same units.
"""

from __future__ import annotations

import sys
from random import Random

from speech.units import UnitSplitter

PARTS = (
    *"aZé字かनا١5 \n\t.!?,:;…。！？।؟'\"“”«»()[]{}*_`~#|-–—•/\\@$€%&+=<>",
    "```", "Dr.", "e.g.", "p.m.", "U.S.", "3.14", "No. 5", "http://a.example/x?y=1", "a@b.example",
    "\x1b[31m", "\x1b[0m", "\r\n", "\n\n", "1. ", "- ", "| a |", "😀", "👨‍👩‍👧", "\u200d", "\ufeff",
    "\x00", "word ", "The ", " and ", "«", "”", "...", ". . .", "x" * 40,
)  # fmt: skip
LANGUAGES = ("en", "de", "fr", "es", "ja", "zh", "hi", "ar", "ru", "el", "xx")
MOST_WAITING = 8_000
"""Characters: a unit, what is looked ahead for, and a piece of code."""


def pieces(text: str, random: Random) -> list[str]:
    """The text cut anywhere."""
    cut: list[str] = []
    while text:
        size = random.randint(1, 12)
        cut.append(text[:size])
        text = text[size:]
    return cut


def cut(tokens: list[str], language: str) -> list[tuple[int, int, str]]:
    """The units, with what they promise checked."""
    splitter = UnitSplitter(language)
    units = []
    for token in tokens:
        units += splitter.feed(token)
        assert len(splitter.pending) < MOST_WAITING  # noqa: S101
    units += splitter.finish()
    assert "".join(unit.written for unit in units) == "".join(tokens)  # noqa: S101
    return [(unit.start, unit.end, unit.text) for unit in units]


def main(count: int, seed: int) -> None:
    """``count`` streams."""
    random = Random(seed)  # noqa: S311
    for number in range(count):
        text = "".join(random.choices(PARTS, k=random.randint(1, 60)))
        language = random.choice(LANGUAGES)
        first, second = (cut(pieces(text, random), language) for _ in range(2))
        if first != second:
            raise SystemExit(f"stream {number} of seed {seed} depends on its tokens: {text!r}")
    print(f"{count} streams, seed {seed}: nothing lost or raised, no unit hangs on its tokens")


if __name__ == "__main__":
    main(*(int(value) for value in (*sys.argv[1:], *("100000", "1")[len(sys.argv) - 1 :])))
