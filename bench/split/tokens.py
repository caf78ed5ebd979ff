"""Ways in which a model may stream the same text."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

_MARKS = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
"""Combining marks of the scripts in the set: Python's ``\\w`` has none."""
_PRETOKEN = re.compile(
    rf" ?(?:(?!\d)[\w{_MARKS}])+| ?\d{{1,3}}| ?[^\s\w{_MARKS}]+[\r\n]*|\s*[\r\n]+|\s"
)
"""As byte-pair tokenizers part a text first: words and marks with the blank before them, digits
in threes, line breaks with the marks before them."""
_PARAGRAPH = re.compile(r".+?(?:\n{2,}|\Z)", re.DOTALL)
_LONG_WORD = 8
"""Characters, blank included, from which a word comes in pieces."""
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_CHUNK_CHARACTERS = (1, 14)


def pieces(text: str, random: Random) -> list[str]:
    """Words with the blank before them, long ones in pieces, marks apart: as LLMs stream."""
    return [piece for token in _PRETOKEN.findall(text) for piece in _broken(token, random)]


def _broken(token: str, random: Random) -> list[str]:
    ideographs = bool(_IDEOGRAPHS.search(token))
    if len(token) < _LONG_WORD and not ideographs:
        return [token]
    low, high = (1, 3) if ideographs else (3, 6)
    return _cut(token, low, high, random)


def characters(text: str, random: Random) -> list[str]:
    """One at a time."""
    return list(text)


def paragraphs(text: str, random: Random) -> list[str]:
    """Whole, up to the blank line: several sentences in one token."""
    return _PARAGRAPH.findall(text)


def chunks(text: str, random: Random) -> list[str]:
    """Of any size, cut anywhere, as a network hands them over."""
    return _cut(text, *_CHUNK_CHARACTERS, random)


def _cut(text: str, low: int, high: int, random: Random) -> list[str]:
    parts = []
    while text:
        size = random.randint(low, high)
        parts.append(text[:size])
        text = text[size:]
    return parts


WAYS: dict[str, Callable[[str, Random], list[str]]] = {
    "pieces": pieces, "characters": characters, "paragraphs": paragraphs, "chunks": chunks,
}  # fmt: skip


def stream(text: str, way: str, seed: str) -> list[str]:
    """The tokens, the same for the same seed; joined they are the text."""
    return WAYS[way](text, Random(f"{way} {seed}"))  # noqa: S311
