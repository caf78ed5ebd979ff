"""Durations and moments as a scenario writes them: ``1.5 s``, ``bot_started + 1.2 s``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from bot.scenario.names import live_name

_DURATION = re.compile(r"\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>ms|s|min)?\s*")
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, None: 1.0}
_LONGEST_SHOWN = 60
_MOMENT = re.compile(r"\s*(?P<event>[A-Za-z_]+)\s*(?:(?P<sign>[+-])\s*(?P<delay>.+))?")


MAX_DURATION_S = 3_600.0


def parse_duration(value: Any) -> float:
    """Seconds of ``1.5``, ``"1.5 s"``, ``"200 ms"`` or ``"2 min"``; at most an hour.

    Raises ``ValueError``.
    """
    seconds = _seconds_of(value)
    if seconds is None:
        raise ValueError(f"expected a duration such as '1.5 s' or '200 ms', not {_short(value)}")
    if seconds > MAX_DURATION_S:
        raise ValueError(f"expected at most {MAX_DURATION_S:.0f} s, not {_short(value)}")
    return seconds


def _seconds_of(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(match["number"]) * _SECONDS[match["unit"]] if match else None


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 1]}…"


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
        raise ValueError(f"expected an event such as 'bot_started + 1.2 s', not {_short(value)}")
    if match["sign"] == "-":
        raise ValueError(f"nobody knows a moment before it happens: {_short(value)}")
    delay = parse_duration(match["delay"]) if match["delay"] else 0.0
    return Moment(live_name(match["event"]), delay)


MomentField = Annotated[Moment, BeforeValidator(parse_moment)]
