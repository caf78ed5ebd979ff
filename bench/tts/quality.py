"""Streamed speech against whole-sentence synthesis, sentence by sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from bench.figures import largest, median
from bench.signal import border_step, border_step_nearby, level_db
from bench.tts.contestant import RATE_HZ, Pcm, Spoken, listen
from bench.tts.judges import Judge, Judges, check_installed
from bench.tts.ours import Ours
from bench.tts.stage import Stage
from bench.tts.texts import read_lines
from bench.tts.whole import speak_whole
from speech.models.store import model_dir

__all__ = ["check_installed", "compare", "figures", "measure"]

WHISPER = "whisper-tiny.en"
QUICK_SENTENCES = 3


async def measure(stage: Stage, judge: Judge | None = None) -> list[dict[str, Any]]:
    """One row a sentence, and with ``fast`` one more of the fast engine against the same.

    The same is the whole sentence in float32: what the network says, unless something is saved.
    """
    options = stage.options
    if judge is None:
        folder = await asyncio.to_thread(model_dir, WHISPER, options.settings.models.dir)
        judge = await asyncio.to_thread(Judges, folder, options.effective_threads)
    sentences = read_lines("sentences.txt")[: QUICK_SENTENCES if options.quick else None]
    stage.progress.begin("quality", len(sentences) * (1 + options.fast))
    rows = []
    async with stage.ours("float32") as exact:
        for precision in [None, *(["fast"] if options.fast else [])]:
            async with stage.ours(precision) as ours:
                rows += [await _row(stage, judge, ours, exact, sentence) for sentence in sentences]
    return rows


async def _row(
    stage: Stage, judge: Judge, engine: Ours, reference: Ours, text: str
) -> dict[str, Any]:
    spoken = await listen(engine, text)
    whole = await speak_whole(reference, text)
    row = await asyncio.to_thread(compare, judge, text, spoken, whole)
    stage.progress.step()
    return {"engine": engine.name, "sentence": text, **row}


def compare(judge: Judge, text: str, spoken: Spoken, whole: Pcm) -> dict[str, Any]:
    """Both judged, and what the waveform tells of the streamed one."""
    streamed = spoken.samples
    level, level_whole = level_db(streamed, RATE_HZ), level_db(whole, RATE_HZ)
    errors, words = judge.errors(text, streamed)
    return {
        "chunks": len(spoken.pieces),
        "dnsmos": judge.opinion(streamed),
        "dnsmos_whole": judge.opinion(whole),
        "words": words,
        "word_errors": errors,
        "word_errors_whole": judge.errors(text, whole)[0],
        "level_db": None if level is None or level_whole is None else level - level_whole,
        "border_step": border_step(streamed, spoken.borders),
        "border_step_nearby": border_step_nearby(streamed, spoken.borders, RATE_HZ),
        "audio_ms": len(streamed) / RATE_HZ * 1000,
        "audio_whole_ms": len(whole) / RATE_HZ * 1000,
    }


def figures(rows: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """Streamed minus whole: DNSMOS points, WER as a fraction (0.01 is one point), dB."""
    streamed = _figures([row for row in rows or [] if row["engine"] == "ours"])
    fast = [row for row in rows or [] if row["engine"] == "ours_fast"]
    keys = ("dnsmos_delta", "wer_delta", "level_db_max")
    return streamed | ({f"{key}_fast": _figures(fast)[key] for key in keys} if fast else {})


def _figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    wer, wer_whole = _rate(rows, "word_errors"), _rate(rows, "word_errors_whole")
    return {
        "dnsmos_delta": _mean_difference(rows, "overall"),
        "dnsmos_p808_delta": _mean_difference(rows, "p808"),
        "dnsmos": _mean(row["dnsmos"]["overall"] for row in rows),
        "dnsmos_whole": _mean(row["dnsmos_whole"]["overall"] for row in rows),
        "wer_delta": None if wer is None or wer_whole is None else wer - wer_whole,
        "wer": wer,
        "wer_whole": wer_whole,
        "level_db_max": largest(row["level_db"] for row in rows),
        "border_step_max": largest(row["border_step"] for row in rows),
        "border_step_nearby": median(row["border_step_nearby"] for row in rows),
        "sentences": len(rows) or None,
    }


def _rate(rows: Sequence[dict[str, Any]], errors: str) -> float | None:
    words = sum(row["words"] for row in rows)
    return sum(row[errors] for row in rows) / words if words else None


def _mean_difference(rows: Sequence[dict[str, Any]], score: str) -> float | None:
    return _mean(row["dnsmos"][score] - row["dnsmos_whole"][score] for row in rows)


def _mean(values: Any) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None
