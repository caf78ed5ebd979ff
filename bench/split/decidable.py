"""When the end of a unit can be known, by the text alone.

The rule, for a unit that ends at an offset (marks and closing quotes included):

- nothing but blanks follows: at the end of the reply;
- a line break follows, blanks before it allowed: at the line break, which ends a unit;
- the unit's last character is a question mark, an exclamation mark or a full stop that has no
  other use (``。`` ``।`` ``۔`` and their kin): at the next character, which shows that no mark
  and no closing quote comes after;
- anything else (``.``, ``…``, a closing quote or bracket, an emoji, no mark): at the first
  character that is not blank. It may be what shows a decimal, a lower-case word that goes on,
  or a new beginning.

It is computed from the labelled text and knows no splitter. A splitter that knows the language
may be sure earlier; its delay is then below zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

_CLEAR_ENDS = frozenset("?!？！。｡．।॥؟۔")


def decidable_at(text: str, end: int) -> int | None:
    """How many characters of the text show that a unit ends at ``end``; None: all, and the end."""
    follows = text[end:]
    blanks = len(follows) - len(follows.lstrip())
    if blanks == len(follows):
        return None
    if (line_break := follows.find("\n", 0, blanks)) >= 0:
        return end + line_break + 1
    return end + 1 if text[end - 1] in _CLEAR_ENDS else end + blanks + 1


def decidable_token(tokens: Sequence[str], end: int) -> int:
    """Index of the token with which it is known; ``len(tokens)`` is the end of the reply."""
    needed = decidable_at("".join(tokens), end)
    if needed is None:
        return len(tokens)
    totals = accumulate(map(len, tokens))
    return next(index for index, total in enumerate(totals) if total >= needed)
