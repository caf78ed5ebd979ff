"""What of a text was not heard. Pure."""

from __future__ import annotations


def rest_of(written: str, heard: str) -> str:
    """The part of ``written`` behind the words ``heard``, trimmed.

    ``heard`` is the beginning of ``written`` but for white space, which may differ.
    """
    left = sum(not letter.isspace() for letter in heard)
    for at, letter in enumerate(written):
        if not left:
            return written[at:].strip()
        left -= not letter.isspace()
    return ""


def shortened(text: str, most: int) -> str:
    """``text``, or its beginning up to a word's end and "…", of at most ``most`` characters."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut.rsplit(maxsplit=1)[0] if ' ' in cut else cut}…"
