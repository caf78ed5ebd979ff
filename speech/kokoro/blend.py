"""Voices mixed from others: ``af_heart:0.7+am_adam:0.3``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from speech.errors import UsageError

MAX_PARTS = 8
"""More voices than that average out to nobody."""
MAX_WEIGHT = 1_000.0
LONGEST_TOLD = 60
"""Characters of what was written that an error repeats."""
FORM = "write a blend as NAME:WEIGHT+NAME:WEIGHT, for example af_heart:0.7+am_adam:0.3"


@dataclass(frozen=True, slots=True)
class Share:
    """A voice in a blend. The shares of a blend add up to 1."""

    voice: str
    share: float


def parse_blend(text: str) -> tuple[Share, ...]:
    """The voices of a blend; a plain name is a blend of one.

    A voice without a weight weighs 1. White space does not count; a voice named twice gets
    both weights. Raises ``UsageError``.
    """
    weights: dict[str, float] = {}
    for part in text.split("+"):
        name, weight = _part(part, text)
        weights[name] = weights.get(name, 0.0) + weight
    if text.count("+") >= MAX_PARTS:
        raise UsageError(f"a blend of {text.count('+') + 1} voices; give {MAX_PARTS} at most")
    total = math.fsum(weights.values())
    return tuple(Share(name, weight / total) for name, weight in weights.items())


def _part(part: str, text: str) -> tuple[str, float]:
    name, colon, number = part.partition(":")
    name = name.strip()
    if not name:
        raise UsageError(f"no voice in a part of {told(text)}; {FORM}")
    if not colon:
        return name, 1.0
    try:
        weight = float(number)
    except ValueError as error:
        fault = f"the weight {told(number.strip())} of {told(name)} is no number"
        raise UsageError(f"{fault}; {FORM}") from error
    if not 0.0 < weight <= MAX_WEIGHT:
        raise UsageError(f"{told(name)} weighs {weight:g}; give above 0 and at most {MAX_WEIGHT:g}")
    return name, weight


def told(written: str) -> str:
    """In quotes, on one line and not too long, for an error."""
    return repr(written if len(written) <= LONGEST_TOLD else f"{written[:LONGEST_TOLD]}…")


def blend_name(shares: Sequence[Share]) -> str:
    """One spelling for each blend: ``af_heart:0.7+am_adam:0.3``, or the name of one voice."""
    if len(shares) == 1:
        return shares[0].voice
    return "+".join(f"{part.voice}:{part.share:.6g}" for part in shares)


def heaviest(text: str) -> str:
    """The name of the blend's heaviest voice, the first of equals; "" for what is no blend."""
    try:
        return max(parse_blend(text), key=lambda part: part.share).voice
    except UsageError:
        return ""
