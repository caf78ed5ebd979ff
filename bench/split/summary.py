"""The record of ``earshot bench split`` in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NAME = 22
_KIND = 18
_COLUMN = 9


def summary(record: Mapping[str, Any]) -> list[str]:
    """Figures by contestant, F1 by kind, and misses where they were asked for."""
    return [*_head(record), *_figures(record), *_paces(record), *_kinds(record), *_misses(record)]


def _head(record: Mapping[str, Any]) -> Iterator[str]:
    config = record["config"]
    yield (
        f"{config['replies']} replies, {config['units']} units, {config['streams']} streams, "
        f"{config['kinds'].get('chat', 0)} of the replies plain chat"
    )
    if config["quick"]:
        yield "A quick run: it shows that the benchmark works, not how good anyone is."
    for name, why in record["missing"].items():
        yield f"missing: {name}: {why}"


def _figures(record: Mapping[str, Any]) -> Iterator[str]:
    columns = ("F1", "false", "missed", "delay", "p95", "MB/s")
    yield f"{'':<{_NAME}}" + "".join(f"{column:>{_COLUMN}}" for column in columns)
    for name, f1 in record["f1"].items():
        yield f"{name:<{_NAME}}" + "".join([
            f"{f1:>{_COLUMN}.4f}",
            f"{record['false_cuts_per_1000'][name]:>{_COLUMN}.1f}",
            f"{record['missed_ends_per_1000'][name]:>{_COLUMN}.1f}",
            f"{_or_dash(record['delay_tokens_median'][name]):>{_COLUMN}}",
            f"{_or_dash(record['delay_tokens_p95'][name]):>{_COLUMN}}",
            f"{record['mb_per_s_all_ways'][name]:>{_COLUMN}.2f}",
        ])  # fmt: skip
    yield "false cuts and missed ends a 1,000 units; delay in tokens, replies in pieces"
    if record["mb_per_s"] is not None:
        yield f"earshot, replies in pieces: {record['mb_per_s']:.2f} MB/s of text"


def _paces(record: Mapping[str, Any]) -> Iterator[str]:
    for number, row in enumerate(record.get("pace") or []):
        if not number:
            yield ""
            yield "tokens/s: first sound in s (95th percentile), whole sentences / clauses"
        first, late = row["first_sound_s"], row["first_sound_s_p95"]
        yield f"{row['tokens_per_s']:>8}: " + " / ".join(
            f"{first[way]:.2f} ({late[way]:.2f})" for way in ("sentences", "clauses")
        )


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _kinds(record: Mapping[str, Any]) -> Iterator[str]:
    names = list(record["by_kind"])
    if not names:
        return
    yield ""
    heads = "".join(f"{_short(name):>{_COLUMN}}" for name in names)
    yield f"{'F1 by kind':<{_KIND}}{'units':>7}{heads}"
    for kind in record["config"]["kinds"]:
        rows = [record["by_kind"][name][kind] for name in names]
        cells = "".join(f"{row['f1']:>{_COLUMN}.3f}" for row in rows)
        yield f"{kind:<{_KIND}}{rows[0]['units']:>7}{cells}"


def _short(name: str) -> str:
    return name.replace("stream2sentence", "s2s").replace("_short", "1")[: _COLUMN - 1]


def _misses(record: Mapping[str, Any]) -> Iterator[str]:
    for name, misses in record.get("misses", {}).items():
        for miss in misses:
            yield ""
            yield f"{name}: {miss['id']} ({miss['way']})"
            yield f"  wanted {miss['wanted']}"
            yield f"  given  {miss['given']}"
