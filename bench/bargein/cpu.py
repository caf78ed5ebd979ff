"""The part ``cpu``: how soon the bot's process is idle after a cut in mid-synthesis."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from bench.bargein.bot_process import BotProcess
from bench.bargein.rounds import CUT_S, Talker
from bench.bargein.stage import Stage
from bench.figures import Row, median, p95

A_ROUND, QUICK = 3, 2
STEP_S = 0.01
WINDOW_S = 0.1
AFTER_S = 1.5
IDLE_S = 5.0
BUSY = 0.5
"""Cores above idle that show that a synthesis was running when the cut came."""
NEAR_IDLE = 0.15
"""Cores above idle that still count as idle: the detector's work comes in bursts."""

Sample = tuple[float, float]


async def measure(stage: Stage) -> list[dict[str, Any]]:
    """A row for each cut: processor time around it."""
    count = QUICK if stage.options.quick else A_ROUND * stage.options.rounds
    stage.progress.begin("cpu", count)
    rows = []
    async with stage.bot() as bot:
        talker = Talker(stage, bot)
        await talker.ask(stage.replies[0])
        await bot.until(lambda: bool(bot.named("bot_stopped")), 30)
        await asyncio.sleep(1.0)
        idle = await _watch(bot, IDLE_S)
        idle_cores = (idle[-1][1] - idle[0][1]) / (idle[-1][0] - idle[0][0])
        for number in range(count):
            if stage.stopped:
                break
            rows.append(await _cut(talker, bot, stage.replies[-1], 0.2 + 0.12 * number, idle_cores))
            stage.progress.step()
    return rows


async def _cut(
    talker: Talker, bot: BotProcess, text: str, after_s: float, idle_cores: float
) -> dict[str, Any]:
    scheduled = await talker.ask(text)
    here = bot.now
    await asyncio.sleep(max(0.0, scheduled.at + after_s - time.monotonic()))
    watching = asyncio.create_task(_watch(bot, AFTER_S + 0.3))
    await asyncio.sleep(0.2)
    await bot.do("stop")
    cut = await bot.first("interrupt", here, CUT_S)
    samples = await watching
    await asyncio.sleep(1.0)
    if cut is None:
        return {"cut": False}
    return {
        "cut": True,
        "after_s": after_s,
        "idle_cores": idle_cores,
        **read(samples, cut.at, idle_cores),
    }


async def _watch(bot: BotProcess, seconds: float) -> list[Sample]:
    samples = [(time.monotonic(), bot.cpu_s())]
    end = samples[0][0] + seconds
    while samples[-1][0] < end:
        await asyncio.sleep(STEP_S)
        samples.append((time.monotonic(), bot.cpu_s()))
    return samples


def read(samples: Sequence[Sample], cut_at: float, idle_cores: float) -> dict[str, Any]:
    """``idle_ms``: from the cut to the moment from which on every window is idle; cores before
    it; processor time used beyond idle after it. Pure."""
    busy_until = cut_at
    before: list[float] = []
    for begin, end in _windows(samples):
        cores = (end[1] - begin[1]) / (end[0] - begin[0])
        if end[0] <= cut_at:
            before.append(cores)
        elif cores > idle_cores + NEAR_IDLE:
            busy_until = begin[0] + STEP_S
    at_cut = [sample for sample in samples if sample[0] <= cut_at][-1]
    last = samples[-1]
    spent = last[1] - at_cut[1] - idle_cores * (last[0] - at_cut[0])
    cores_before = max(before, default=0.0)
    return {
        "cores_before": cores_before,
        "busy": cores_before > idle_cores + BUSY,
        "idle_ms": 1000 * max(0.0, busy_until - cut_at),
        "spent_s": spent,
    }


def _windows(samples: Sequence[Sample]) -> list[tuple[Sample, Sample]]:
    """One from every sample on, as long as ``WINDOW_S`` or a step more."""
    found = []
    end = 0
    for begin in samples:
        while end < len(samples) and samples[end][0] - begin[0] < WINDOW_S:
            end += 1
        if end == len(samples):
            break
        found.append((begin, samples[end]))
    return found


def figures(rows: Sequence[Row] | None) -> dict[str, Any]:
    """Of the cuts that came while a synthesis ran."""
    busy = [row for row in rows or () if row.get("busy")]
    return {
        "cpu_idle_ms": p95([row["idle_ms"] for row in busy]),
        "cpu_idle_ms_median": median([row["idle_ms"] for row in busy]),
        "cpu_spent_after_cut_s_max": max((row["spent_s"] for row in busy), default=None),
        "cpu_cuts_in_synthesis": len(busy) if rows is not None else None,
    }
