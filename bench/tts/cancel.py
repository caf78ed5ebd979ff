"""What a cancelled unit still costs, and whether the next one waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from bench.figures import median, ratio
from bench.machine import load_average
from bench.tts.contestant import Contestant, listen, processor_s, settle
from bench.tts.ours import Ours
from bench.tts.speed import PEERS
from bench.tts.stage import Stage

WATCHED_S = 2.0
"""Processor time is counted for so long after the cancel."""
MOMENTS = {"before first audio": 0.5, "after first audio": 1.2, "mid unit": None}
"""Share of the undisturbed first-audio time at which the cancel comes; None: half of the
undisturbed total."""


async def measure(stage: Stage) -> list[dict[str, Any]]:
    """Rows of our engine, then one of each peer for comparison."""
    stage.progress.begin("cancel", stage.rounds * len(MOMENTS) + len(PEERS))
    rows = []
    async with stage.ours() as ours:
        await listen(ours, stage.texts[0].words)
        for number in range(stage.rounds):
            rows += await _round(stage, ours, number)
    async with stage.peers() as peers:
        for peer in peers:
            rows.append(await _peer_trial(stage, peer))
            stage.progress.step()
    return rows


async def _round(stage: Stage, ours: Ours, number: int) -> list[dict[str, Any]]:
    following, cut = (_pick(stage, length, number) for length in stage.lengths[-2:])
    await settle()
    undisturbed = await listen(ours, following)
    await settle()
    whole = await listen(ours, cut)
    rows = []
    for moment, share in MOMENTS.items():
        delay_s = whole.total_s / 2 if share is None else whole.first_s * share
        trial = await _trial(ours, cut, following, delay_s)
        undisturbed_ms = undisturbed.first_s * 1000
        rows.append(
            {"round": number + 1, "engine": ours.name, "moment": moment, **trial,
             "undisturbed_first_audio_ms": undisturbed_ms, "load_average": load_average()}
        )  # fmt: skip
        stage.progress.step()
    return rows


async def _trial(ours: Ours, cut: str, following: str, delay_s: float) -> dict[str, float]:
    """Cut one unit and watch the processor; cut another and ask for the next at once."""
    await settle()
    idle_s = await processor_s(WATCHED_S)
    spent_s = await _cut(ours, cut, delay_s, WATCHED_S)
    await settle()
    await _cut(ours, cut, delay_s, 0.0)
    after = await listen(ours, following)
    return {
        "cancelled_after_ms": delay_s * 1000,
        "cpu_after_cancel_s": spent_s,
        "cpu_idle_s": idle_s,
        "next_first_audio_ms": after.first_s * 1000,
    }


def _pick(stage: Stage, length: int, number: int) -> str:
    choices = stage.texts_of(length)
    return choices[number % len(choices)].words


async def _cut(ours: Ours, text: str, delay_s: float, watched_s: float) -> float:
    """Cancel the unit ``delay_s`` after it was asked for; processor seconds from then on."""
    listening = asyncio.create_task(_drain(ours, text))
    await asyncio.sleep(delay_s)
    before = time.process_time()
    ours.cancel()
    await asyncio.sleep(watched_s)
    spent_s = time.process_time() - before
    await listening
    return spent_s


async def _peer_trial(stage: Stage, peer: Contestant) -> dict[str, Any]:
    """Stop reading a peer's unit half way through its work, which is all one can do to it."""
    text = _pick(stage, stage.lengths[-1], 0)
    await settle()
    whole = await listen(peer, text)
    await settle()
    listening = asyncio.create_task(_drain(peer, text))
    await asyncio.sleep(whole.total_s / 2)
    before = time.process_time()
    listening.cancel()
    await asyncio.sleep(WATCHED_S)
    spent_s = time.process_time() - before
    with suppress(asyncio.CancelledError):
        await listening
    await settle()
    return {
        "round": 1,
        "engine": peer.name,
        "moment": "mid unit",
        "cancelled_after_ms": whole.total_s * 500,
        "cpu_after_cancel_s": spent_s,
    }


async def _drain(contestant: Contestant, text: str) -> None:
    async for _piece in contestant.speak(text):
        pass


def figures(rows: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """The worst processor time over all trials; the next unit's first audio as medians."""
    ours = [row for row in rows or [] if row["engine"] == "ours"]
    after = median(row["next_first_audio_ms"] for row in ours)
    undisturbed = median(row["undisturbed_first_audio_ms"] for row in ours)
    return {
        "cpu_after_cancel_s": max((row["cpu_after_cancel_s"] for row in ours), default=None),
        "cpu_idle_s": median(row["cpu_idle_s"] for row in ours),
        "cpu_after_cancel_peers_s": {
            row["engine"]: row["cpu_after_cancel_s"]
            for row in rows or []
            if row["engine"] != "ours"
        }
        or None,
        "first_audio_after_cancel": {
            "undisturbed_ms": undisturbed,
            "after_cancel_ms": after,
            "ratio": ratio(after, undisturbed),
        }
        if ours
        else None,
    }
