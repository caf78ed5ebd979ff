"""The benchmark ``tts``: its parts in order, and the record made of them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import machine
from bench.figures import rounded
from bench.options import Options
from bench.tts import cancel, memory, quality, queue, speed
from bench.tts.stage import Stage, model_paths, open_stage
from bench.tts.summary import summary
from speech.kokoro.voices import load_voice

__all__ = ["PARTS", "run", "summary"]

PARTS: dict[str, Callable[[Stage], Awaitable[Any]]] = {
    "first-audio": speed.measure,
    "gaps": queue.measure,
    "cancel": cancel.measure,
    "quality": quality.measure,
    "memory": memory.measure,
}
PACKAGES = (
    "earshot", "onnxruntime", "kokoro-onnx", "pipecat-ai", "numpy", "phonemizer",
    "espeakng-loader", "misaki", "faster-whisper", "ctranslate2", "speechmos", "librosa", "jiwer",
)  # fmt: skip
"""Distributions that can change a figure."""


def run(options: Options) -> dict[str, Any]:
    """Measure what the options name; figures of parts left out are None.

    Raises ``UsageError`` for an unknown part and ``EarshotError`` where a part cannot run.
    """
    parts = options.parts(PARTS)
    if "quality" in parts:
        quality.check_installed()  # rather now than after half an hour
    logging.getLogger("phonemizer").disabled = True  # the peers let it warn at every text
    config = _config(options, parts)
    raw = asyncio.run(_measure(options, parts))
    config["load_average_after"] = machine.load_average()
    return record(config, raw)


async def _measure(options: Options, parts: Sequence[str]) -> dict[str, Any]:
    async with open_stage(options) as stage:
        return {part: await PARTS[part](stage) for part in parts}


def record(config: dict[str, Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON document: figures computed from the raw rows, which it holds too."""
    rounds = [
        {"part": part, **row} for part, rows in raw.items() if part != "memory" for row in rows
    ]
    document = {
        "name": "tts",
        "config": config,
        "rounds": rounds,
        **speed.figures(raw.get("first-audio")),
        **queue.figures(raw.get("gaps")),
        **cancel.figures(raw.get("cancel")),
        **quality.figures(raw.get("quality")),
        "rss_mb": raw.get("memory"),
    }
    cut: dict[str, Any] = rounded(document)
    return cut


def _config(options: Options, parts: Sequence[str]) -> dict[str, Any]:
    model, voices = model_paths(options.settings)
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": machine.commit(),
        "parts": list(parts),
        "quick": options.quick,
        "rounds": options.effective_rounds,
        "threads": options.effective_threads,
        "peer_spinning": options.peer_spinning,
        "tts": options.settings.tts.model_dump(mode="json"),
        "model": model.parent.name,
        "model_sha256": machine.sha256(model),
        "voice_sha256": voice_sha256(voices, options.settings.tts.voice),
        "machine": machine.describe_machine(),
        "versions": machine.versions(PACKAGES),
        "load_average_before": machine.load_average(),
    }


def voice_sha256(folder: Path, name: str) -> str:
    """Of a voice's table, which is its ``.bin`` file's hash; a blend has no file."""
    return hashlib.sha256(load_voice(folder, name).tobytes()).hexdigest()
