"""Guessing what a misspelt word was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CLOSE_ENOUGH = 0.6
"""difflib's own default ratio: two letters off in a word of five still count."""


def nearest(word: str, known: Iterable[str], close_enough: float = CLOSE_ENOUGH) -> str | None:
    """The known word most like ``word``, ignoring case; None when none is close."""
    by_lower = {name.lower(): name for name in reversed(list(known))}
    match = difflib.get_close_matches(word.lower(), by_lower, 1, close_enough)
    return by_lower[match[0]] if match else None
