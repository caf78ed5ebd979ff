"""First audio and total time of one unit, all engines in turn."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from bench.figures import medians, ratio, ratios, rotated
from bench.machine import load_average
from bench.playback import play
from bench.tts.contestant import RATE_HZ, Contestant, Spoken, listen, settle
from bench.tts.stage import Stage
from bench.tts.texts import Text

PEERS = ("kokoro_onnx", "pipecat")
_LONG, _SHORT = "350", "45"


async def measure(stage: Stage) -> list[dict[str, Any]]:
    """One row for every round, text and engine; the engines take turns text by text."""
    async with AsyncExitStack() as stack:
        engines: list[Contestant] = [await stack.enter_async_context(stage.ours())]
        if stage.options.fast:
            engines.append(await stack.enter_async_context(stage.ours("fast")))
        engines += await stack.enter_async_context(stage.peers())
        stage.progress.begin("first audio", len(engines) * (1 + stage.rounds * len(stage.texts)))
        await _warm_up(stage, engines)
        return [
            row for number in range(stage.rounds) for row in await _round(stage, engines, number)
        ]


async def _warm_up(stage: Stage, engines: Sequence[Contestant]) -> None:
    text = stage.texts[len(stage.texts) // 2]
    for engine in engines:
        await listen(engine, text.words)
        stage.progress.step()


async def _round(stage: Stage, engines: Sequence[Contestant], number: int) -> list[dict[str, Any]]:
    rows = []
    for place, text in enumerate(stage.texts):
        for engine in rotated(engines, number + place):
            await settle()
            spoken = await listen(engine, text.words)
            rows.append(_row(number, text, engine, spoken))
            stage.progress.step()
    return rows


def _row(number: int, text: Text, engine: Contestant, spoken: Spoken) -> dict[str, Any]:
    audible_s, lead_s = spoken.audible_s, play(spoken.arrivals).least_lead_s
    return {
        "round": number + 1,
        "length": text.length,
        "phonemes": text.phonemes,
        "text": text.words,
        "engine": engine.name,
        "precision": getattr(engine, "precision", None),
        "first_audio_ms": spoken.first_s * 1000,
        "first_audible_ms": None if audible_s is None else audible_s * 1000,
        "total_ms": spoken.total_s * 1000,
        "audio_ms": len(spoken.samples) / RATE_HZ * 1000,
        "pieces": len(spoken.pieces),
        "least_lead_ms": None if lead_s is None else lead_s * 1000,
        "load_average": load_average(),
    }


def figures(rows: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """Medians over rounds and texts, and their ratios; None where nothing was measured."""
    first, audible, total = (
        _by_engine(rows or [], value)
        for value in ("first_audio_ms", "first_audible_ms", "total_ms")
    )
    ours = first.get("ours", {})
    return {
        **{f"first_audio_vs_{peer}": ratios(first.get(peer, {}), ours) or None for peer in PEERS},
        "first_audio_ms": ours or None,
        "first_audio_350_over_45": ratio(ours.get(_LONG), ours.get(_SHORT)),
        "total_vs_kokoro_onnx": _total_ratio(total, "ours"),
        "total_fast_vs_kokoro_onnx": _total_ratio(total, "ours_fast"),
        "engines_first_audio_ms": first or None,
        "engines_first_audible_ms": audible or None,
        "engines_total_ms": total or None,
    }


def _total_ratio(
    total: dict[str, dict[str, float | None]], engine: str
) -> dict[str, float | None] | None:
    return ratios(total.get(engine, {}), total.get("kokoro_onnx", {})) or None


def _by_engine(rows: Sequence[dict[str, Any]], value: str) -> dict[str, dict[str, float | None]]:
    names = dict.fromkeys(row["engine"] for row in rows)
    return {
        name: medians((row for row in rows if row["engine"] == name), "length", value)
        for name in names
    }
