"""Units one after another into a simulated player: does it ever run dry?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bench.machine import load_average
from bench.playback import Arrival, Playback, play, real_time_factor
from bench.tts.contestant import Contestant, listen, settle
from bench.tts.stage import Stage

QUEUES = ((15, 350), (45, 120), (120, 15, 350), (350, 45), (15, 15, 45, 120))
"""Lengths of the units of a reply. A short unit before a long one is the hard case: its
sound has to cover the long one's first chunk."""
QUICK_QUEUES = ((15, 45),)
KEEPS_UP = 0.8
"""A machine with a real-time factor above this cannot promise anything."""


async def measure(stage: Stage) -> list[dict[str, Any]]:
    """One row for every round and queue."""
    queues = QUICK_QUEUES if stage.options.quick else QUEUES
    stage.progress.begin("queue", stage.rounds * len(queues) + 1)
    rows = []
    async with stage.ours() as ours:
        await listen(ours, stage.texts[0].words)
        stage.progress.step()
        for number in range(stage.rounds):
            for queue in queues:
                await settle()
                rows.append(await _speak_queue(stage, ours, queue, number))
                stage.progress.step()
    return rows


async def _speak_queue(
    stage: Stage, engine: Contestant, queue: Sequence[int], number: int
) -> dict[str, Any]:
    """Ask for each unit as soon as the one before is delivered, as a reply's queue does."""
    begun = time.monotonic()
    arrivals: list[Arrival] = []
    for unit, length in enumerate(queue):
        choices = stage.texts_of(length)
        text = choices[(number + unit) % len(choices)]
        spoken = await listen(engine, text.words, begun)
        arrivals += [replace(arrival, unit=unit) for arrival in spoken.arrivals]
    return _row(number, queue, play(arrivals), real_time_factor(arrivals, 0.0))


def _row(
    number: int, queue: Sequence[int], playback: Playback, rtf: float | None
) -> dict[str, Any]:
    return {
        "round": number + 1,
        "queue": list(queue),
        "real_time_factor": rtf,
        "least_lead_ms": None if playback.least_lead_s is None else playback.least_lead_s * 1000,
        "gaps": [
            {
                "at_ms": gap.at_s * 1000,
                "gap_ms": gap.length_s * 1000,
                "unit": gap.unit,
                "between_units": gap.between_units,
            }
            for gap in playback.gaps
        ],
        "load_average": load_average(),
    }


def figures(rows: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """``gaps``: those heard where the machine kept up; the others apart from them."""
    if rows is None:
        return {"gaps": None, "gaps_when_too_slow": None, "queues": None}
    kept_up = [row for row in rows if _keeps_up(row)]
    leads = [row["least_lead_ms"] for row in kept_up if row["least_lead_ms"] is not None]
    return {
        "gaps": _gaps(kept_up),
        "gaps_when_too_slow": _gaps([row for row in rows if not _keeps_up(row)]),
        "queues": {
            "played": len(rows),
            "kept_up": len(kept_up),
            "least_lead_ms": min(leads, default=None),
        },
    }


def _gaps(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    where = ("round", "queue", "real_time_factor")
    return [{**gap, **{key: row[key] for key in where}} for row in rows for gap in row["gaps"]]


def _keeps_up(row: dict[str, Any]) -> bool:
    return row["real_time_factor"] is not None and row["real_time_factor"] < KEEPS_UP
