"""Comparing what was said with what was understood."""

from __future__ import annotations

import re

_NOT_SPOKEN = re.compile(r"[^\w\s']")


def plain(text: str) -> str:
    """Lower case, punctuation as spaces, white space squeezed."""
    return " ".join(_NOT_SPOKEN.sub(" ", text.casefold().replace("’", "'")).split())


def contains(text: str, phrase: str) -> bool:
    """Whether ``phrase`` is in ``text``, but for case, punctuation and white space.

    A phrase that is only punctuation is looked for as it is written.
    """
    return plain(phrase) in plain(text) if plain(phrase) else phrase in text


def word_error_rate(reference: str, hypothesis: str) -> float:
    """Words substituted, deleted and inserted, as a share of the reference's words.

    1.0 for anything said where nothing should have been.
    """
    wanted, got = plain(reference).split(), plain(hypothesis).split()
    if not wanted:
        return float(bool(got))
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            step = min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
            diagonal, row[j] = row[j], step
    return row[-1] / len(wanted)
