"""The benchmark ``bargein``: its parts in order, and the record made of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bench import machine
from bench.bargein import cpu, cuts, echo, noises_part
from bench.bargein.stage import Stage, open_stage
from bench.bargein.summary import summary
from bench.figures import rounded
from bench.options import Options

__all__ = ["PARTS", "run", "summary"]


async def _plain(stage: Stage) -> list[dict[str, Any]]:
    """Pipecat's own interruptions on our transport: the same cuts, fewer noises."""
    rows = await cuts.measure(stage, plain=True)
    noises = await noises_part.measure(stage, plain=True)
    return [*rows, *({**row, "noise": True} for row in noises)]


async def _guard(stage: Stage) -> list[dict[str, Any]]:
    """Echo that nothing cancels."""
    return await echo.measure(stage, cancelled=False)


PARTS: dict[str, Callable[[Stage], Awaitable[list[dict[str, Any]]]]] = {
    "cuts": cuts.measure,
    "noises": noises_part.measure,
    "cpu": cpu.measure,
    "plain": _plain,
    "echo": echo.measure,
    "guard": _guard,
}
PACKAGES = (
    "earshot", "pipecat-ai", "onnxruntime", "numpy", "sounddevice", "faster-whisper",
    "ctranslate2", "livekit", "webrtcvad-wheels",
)  # fmt: skip
"""Distributions that can change a figure."""


def run(options: Options) -> dict[str, Any]:
    """Measure what the options name; figures of parts left out are None.

    Raises ``UsageError`` for an unknown part or a missing sound server, ``EarshotError``
    where the bot under test ends.
    """
    parts = options.parts(PARTS)
    config = _config(options, parts)
    raw, card = asyncio.run(_measure(options, parts))
    config |= {"card": card, "load_average_after": machine.load_average()}
    return record(config, raw)


async def _measure(
    options: Options, parts: Sequence[str]
) -> tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]:
    async with open_stage(options) as stage:
        raw = {}
        for part in parts:
            if stage.stopped:
                break
            before = machine.load_average()
            raw[part] = await PARTS[part](stage)
            raw[part].append({"round": "load", "before": before, "after": machine.load_average()})
        return raw, stage.describe() | {"stopped_early": stage.stopped}


def record(config: Mapping[str, Any], raw: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The JSON document: figures computed from the raw rows, which it holds too."""
    rows = {name: [row for row in part if row.get("round") != "load"] for name, part in raw.items()}
    plain = rows.get("plain")
    plain_cuts = None if plain is None else [row for row in plain if "noise" not in row]
    plain_noises = None if plain is None else [row for row in plain if "noise" in row]
    ours = [*rows.get("cuts", ()), *rows.get("noises", ())]
    document = {
        "name": "bargein",
        "config": dict(config),
        **cuts.figures(rows.get("cuts")),
        **noises_part.figures(rows.get("noises")),
        "resume_gap_ms_max": noises_part.resume_gap_ms_max(ours),
        **cpu.figures(rows.get("cpu")),
        **echo.figures(rows.get("echo"), rows.get("guard")),
        "pipecat": {
            **cuts.figures(plain_cuts),
            **noises_part.figures(plain_noises),
            "resume_gap_ms_max": noises_part.resume_gap_ms_max(plain or ()),
        },
        "rounds": [{"part": name, **row} for name, part in raw.items() for row in part],
    }
    cut: dict[str, Any] = rounded(document)
    return cut


def _config(options: Options, parts: Sequence[str]) -> dict[str, Any]:
    settings = options.settings.model_dump(mode="json")
    sections = ("audio", "vad", "turn", "stt", "tts", "units", "barge_in")
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": machine.commit(),
        "parts": list(parts),
        "quick": options.quick,
        "over_wire": options.over_wire,
        "rounds": options.effective_rounds,
        **{name: settings[name] for name in sections if name in settings},
        "machine": machine.describe_machine(),
        "niceness": os.nice(0),
        "versions": machine.versions(PACKAGES),
        "load_average_before": machine.load_average(),
    }
