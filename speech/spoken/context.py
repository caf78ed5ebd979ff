"""What stands around a match."""

from __future__ import annotations

import re

_WORD_BEFORE = re.compile(r"([^\W\d_]+)[.,]?[ \t]{0,3}$")
_WORD_AFTER = re.compile(r"[ \t]{0,3}([^\W\d_]+)")
_NEAR = 24
"""Characters; no word that decides a reading is longer."""


def before(match: re.Match[str]) -> str:
    """The text right before."""
    return match.string[max(0, match.start() - _NEAR) : match.start()]


def after(match: re.Match[str]) -> str:
    """The text right after."""
    return match.string[match.end() : match.end() + _NEAR]


def word_before(match: re.Match[str]) -> str:
    """The word before; empty where something else is."""
    found = _WORD_BEFORE.search(before(match))
    return found[1] if found else ""


def word_after(match: re.Match[str]) -> str:
    """The word after; empty where something else is."""
    found = _WORD_AFTER.match(after(match))
    return found[1] if found else ""
