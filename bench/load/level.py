"""So many conversations at once, for some time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures import slope
from bench.load.listener import Heard, Listener, now
from bench.load.mix import Mix
from bench.load.strategies import Strategy
from bench.machine import load_average

DRAIN_S = 60.0
"""A reply that was begun is listened to, if it ends within this."""
_SAMPLE_S = 0.05


async def measure(
    strategy: Strategy, sessions: int, seconds: float, mix: Mix, sentences: Sequence[str],
    lead_s: float,
) -> dict[str, Any]:  # fmt: skip
    """One row. Conversation 1 is the same at every level and for every strategy, and so on."""
    before, begun = load_average(), now()
    depths: list[int] = []
    watching = asyncio.create_task(_watch(strategy, depths))
    until = begun + seconds
    try:
        async with asyncio.timeout(seconds + DRAIN_S), asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_converse(strategy, number, until, mix, sentences, lead_s))
                for number in range(sessions)
            ]
    finally:
        watching.cancel()
    heard = [reply for task in tasks for reply in task.result()]
    return {
        "strategy": strategy.name,
        "sessions": sessions,
        "seconds": seconds,
        **figures(heard, begun),
        "waiting_max": max(depths, default=0),
        "load_average_before": before,
        "load_average_after": load_average(),
    }


async def _converse(
    strategy: Strategy, number: int, until: float, mix: Mix, sentences: Sequence[str], lead_s: float
) -> list[Heard]:
    voice = await strategy.open()
    listener = Listener(f"s{number}", voice, lead_s)
    try:
        await asyncio.sleep(random.Random(number).uniform(0, mix.pause_s[1]))  # noqa: S311
        for reply in mix.conversation(sentences, number):
            if now() >= until:
                break
            await listener.hear(reply)
            await asyncio.sleep(min(reply.pause_s, max(0.0, until - now())))
    finally:
        await voice.aclose()
    return listener.diary


async def _watch(strategy: Strategy, depths: list[int]) -> None:
    while True:
        depths.append(strategy.waiting)
        await asyncio.sleep(_SAMPLE_S)


def figures(heard: Sequence[Heard], begun: float) -> Mapping[str, Any]:
    """What the listeners' diaries say."""
    gaps = [gap for reply in heard for gap in reply.gaps]
    between = sorted(late for reply in heard for late in reply.between_units_s())
    return {
        "replies": len(heard),
        "units": sum(reply.units for reply in heard),
        "audio_s": sum(piece.audio_s for reply in heard for piece in reply.arrivals),
        "first_audio_ms": [1000 * reply.first_audio_s for reply in heard],
        "gaps": len(gaps),
        "longest_gap_ms": 1000 * max((gap.length_s for gap in gaps), default=0.0),
        "between_units_ms": [1000 * late for _, late in between],
        "between_units_trend_ms_per_minute": slope(
            [((at - begun) / 60, 1000 * late) for at, late in between]
        ),
        "refused": sum(reply.refused for reply in heard),
        "replies_refused_first": sum(reply.refused > 0 for reply in heard),
    }
