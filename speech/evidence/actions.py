"""What the gate wants done, in this order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from speech.evidence.claims import State


class Kind(StrEnum):
    """Why the gate speaks. ``LEAD_IN`` is the model's own filler."""

    PREAMBLE = "preamble"
    LEAD_IN = "lead_in"
    APOLOGY = "apology"
    HEDGE = "hedge"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Pass:
    """Hand on what is no unit."""

    item: object


@dataclass(frozen=True, slots=True)
class Release:
    """Hand on a unit; ``waited_s`` in the gate."""

    item: object
    state: State
    filler: Kind | None = None
    waited_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Withhold:
    """Forget a unit, which nobody has heard and nobody will."""

    item: object
    text: str
    state: State
    why: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Speak a text of the gate's own. ``inside``: in the reply that is being spoken."""

    text: str
    kind: Kind
    inside: bool = True


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Something that was said is not true; the next unit will correct it."""

    text: str
    why: str


Action = Pass | Release | Withhold | Say | TakeBack
