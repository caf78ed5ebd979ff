"""Labelled replies: ``rows.txt`` and the cases people reported, ``cases.json``."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from speech.units import Unit, UnitKind, UnitSplitter

HERE = Path(__file__).parent
SIZES = (1, 3, 7, 1_000)
"""Characters a token; the last is every row in one."""


class Row(NamedTuple):
    """A reply and the units it is to be cut into."""

    lang: str
    text: str
    units: list[str]


def labelled() -> list[Row]:
    """The rows of ``rows.txt``: ``lang text``, units parted by ``|~|``, ``\\n`` a line end."""
    lines = (HERE / "rows.txt").read_text(encoding="utf-8").splitlines()
    return [_row(line) for line in lines if line and not line.startswith("#")]


def reported() -> list[dict[str, Any]]:
    """Area A of the reported cases (fields: see shared/cases/README.md)."""
    found: list[dict[str, Any]] = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    return found


def in_pieces(text: str, size: int) -> list[str]:
    """The text in tokens of one size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def units_of(tokens: Iterable[str], lang: str = "en") -> list[Unit]:
    """Every unit of a reply."""
    splitter = UnitSplitter(lang)
    return [unit for token in tokens for unit in splitter.feed(token)] + splitter.finish()


def spoken(units: Iterable[Unit]) -> list[str]:
    """The texts of those that are spoken."""
    return [unit.text for unit in units if unit.kind is UnitKind.SPOKEN]


def is_right(case: dict[str, Any], units: Sequence[str]) -> bool:
    """Whether the units are ones the case allows."""
    if case.get("allowed") == "property":
        return letters("".join(units)) == letters("".join(case["tokens"]))
    kept = letters if case["match"] == "letters" else (lambda text: " ".join(text.split()))
    allowed = case.get("allowed") or [case["expected"]]
    return [kept(text) for text in units if kept(text)] in [
        [kept(text) for text in units_] for units_ in allowed
    ]


def letters(text: str) -> str:
    """Its letters, marks and digits only."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(mark for mark in plain if unicodedata.category(mark)[0] in "LMN")


def _row(line: str) -> Row:
    lang, text = line.split(" ", 1)
    parts = text.replace("\\n", "\n").split("|~|")
    return Row(lang, "".join(parts), [part.strip() for part in parts])
