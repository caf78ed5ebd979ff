"""Medians and ratios of raw measurements."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def median(values: Iterable[float | None]) -> float | None:
    """Of the values that are there; None where there is none."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def p95(values: Iterable[float]) -> float | None:
    """The 95th percentile, a value that occurred; None where there is none."""
    ordered = sorted(values)
    return ordered[int(0.95 * (len(ordered) - 1))] if ordered else None


def percentiles(values: Iterable[float]) -> dict[str, float | None]:
    """The 50th, 95th and 99th, values that occurred; of so few values the last two are the most."""
    ordered = sorted(values)

    def at(share: float) -> float | None:
        return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)))] if ordered else None

    return {"p50": median(ordered), "p95": at(0.95), "p99": at(0.99)}


def slope(points: Sequence[tuple[float, float]]) -> float | None:
    """Of the line through the points by least squares; None where there is none."""
    if len({x for x, _ in points}) < 2:
        return None
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def ratio(above: float | None, below: float | None) -> float | None:
    """``above / below`` to three digits after the point; None where that is no number."""
    if above is None or not below:
        return None
    return round(above / below, 3)


def medians(rows: Iterable[Row], key: str, value: str) -> dict[str, float | None]:
    """The median of ``value`` for each ``key``, in the order the keys first occur."""
    groups: dict[str, list[float | None]] = {}
    for row in rows:
        groups.setdefault(str(row[key]), []).append(row[value])
    return {name: median(group) for name, group in groups.items()}


def ratios(
    above: Mapping[str, float | None], below: Mapping[str, float | None]
) -> dict[str, float | None]:
    """The ratio at every key both have."""
    return {key: ratio(value, below[key]) for key, value in above.items() if key in below}


def largest(values: Iterable[float | None]) -> float | None:
    """Of the values that are there, by size; None where there is none."""
    return max((abs(value) for value in values if value is not None), default=None)


def rotated(items: Sequence[Any], by: int) -> list[Any]:
    """The items beginning ``by`` further on, so that no one always follows the same other."""
    start = by % len(items) if items else 0
    return [*items[start:], *items[:start]]


def rounded(value: Any, digits: int = 3) -> Any:
    """Every float in a JSON value cut to so many digits after the point."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {key: rounded(part, digits) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part, digits) for part in value]
    return value
