"""Lists of words, as they are written here."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text that lists them."""
    return frozenset(text.split())
