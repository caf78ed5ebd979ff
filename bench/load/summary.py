"""The record of ``earshot bench load`` in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.figures import percentiles


def summary(record: Mapping[str, Any]) -> list[str]:
    """What was measured, level by level, and how many sessions were held."""
    return [*_head(record["config"]), *_levels(record["rounds"]), *_held(record)]


def _head(config: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{config['machine']['cpu']}, {config['threads']} threads, "
        f"{'ours over WebSockets, ' if config['over_wire'] else ''}"
        f"{config['seconds_a_level']:g} s a level, "
        f"load {config['load_average_before']} before, {config['load_average_after']} after"
    )
    if config["quick"]:
        yield "A quick run: it shows that the benchmark works, not what the machine holds."


def _levels(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    yield (
        f"{'':<10}{'sessions':>9}{'replies':>9}{'gaps':>6}{'longest':>9}"
        f"{'first p50':>11}{'p95':>7}{'p99':>7}{'refused':>9}{'waiting':>9}"
    )
    for row in rows:
        first = percentiles(row["first_audio_ms"])
        yield (
            f"{row['strategy']:<10}{row['sessions']:>9}{row['replies']:>9}{row['gaps']:>6}"
            f"{row['longest_gap_ms']:>9.0f}{_ms(first['p50'], 11)}{_ms(first['p95'], 7)}"
            f"{_ms(first['p99'], 7)}{row['refused']:>9}{row['waiting_max']:>9}"
        )


def _held(record: Mapping[str, Any]) -> Iterator[str]:
    slo = record["config"]["slo_ms"]
    yield (
        f"held without a gap, first audio p95 within {slo} ms: {record['sessions']}; "
        f"one lock, whole units: {record['sessions_one_lock']}; ratio {_ratio(record)}"
    )
    ours, locked = record["sessions_by_slo_ms"], record["sessions_one_lock_by_slo_ms"]
    yield "by SLO, ours / one lock: " + ", ".join(
        f"{name} ms: {ours[name]} / {locked[name]}" for name in ours
    )
    if record["sessions_at_150pct"]:
        yield (
            f"at {record['sessions_at_150pct']} sessions: {record['refused_at_150pct']} refusals, "
            f"{record['gaps_at_150pct']} gaps"
        )


def _ratio(record: Mapping[str, Any]) -> str:
    if record["ratio"] is None:
        return "-"
    least = "at least " if record["ratio_is_lower_bound"] else ""
    return f"{least}{record['ratio']:g}"


def _ms(value: float | None, width: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:>{width}.0f}"
