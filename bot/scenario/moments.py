"""Durations and moments as a scenario writes them: ``1.5 s``, ``bot_started + 1.2 s``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from bot.scenario.names import live_name

_DURATION = re.compile(r"\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>ms|s|min)?\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, None: 1.0}
_MOMENT = re.compile(r"\s*(?P<event>[A-Za-z_]+)\s*(?:(?P<sign>[+-])\s*(?P<delay>.+))?")


def parse_duration(value: Any) -> float:
    """Seconds of ``1.5``, ``"1.5 s"``, ``"200 ms"`` or ``"2 min"``; raises ``ValueError``."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError(f"expected a duration such as '1.5 s' or '200 ms', not {value!r}")
    return float(match["number"]) * _SECONDS[match["unit"]]


Duration = Annotated[float, BeforeValidator(parse_duration)]


@dataclass(frozen=True, slots=True)
class Moment:
    """``delay_s`` after the next event called ``event``, a timeline name."""

    event: str
    delay_s: float = 0.0


def parse_moment(value: Any) -> Moment:
    """The moment of ``"bot_started + 1.2 s"``; raises ``ValueError``."""
    if isinstance(value, Moment):
        return value
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError(f"expected an event such as 'bot_started + 1.2 s', not {value!r}")
    if match["sign"] == "-":
        raise ValueError(f"nobody knows a moment before it happens: {value!r}")
    delay = parse_duration(match["delay"]) if match["delay"] else 0.0
    return Moment(live_name(match["event"]), delay)


MomentField = Annotated[Moment, BeforeValidator(parse_moment)]
