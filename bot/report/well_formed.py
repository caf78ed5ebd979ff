"""Text that every file and terminal takes."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """``text`` with halves of surrogate pairs joined, and lone ones as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
