"""The token that opens a speech server."""

from __future__ import annotations


def is_token(word: str) -> bool:
    """Whether an ``Authorization`` header carries it as it is: ASCII signs without a space."""
    return bool(word) and word.isascii() and word.isprintable() and " " not in word
