"""Weights that stay in memory for the whole test run, whoever loads them.

Only what takes seconds and is the same every time is kept: onnxruntime's sessions and what the
first run of them taught about this machine's speed, whisper's weights, the audio of the bot's
fixed phrases. Engines, recognisers and their threads are each test's own.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from bot import senses
from processors.phrases import prepare_phrases
from speech.engine import PcmChunk, SpeechEngine
from speech.engines import kokoro_onnx
from speech.hearing import whisper
from speech.hearing.whisper_decoder import WhisperDecoder
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.graph.prepare import Prepared
from speech.kokoro.onnx_streaming import FLOAT32_GRAPHS, Graphs, OnnxStreamingKokoro
from speech.kokoro.planner import SpeedModel

_loaded: dict[Hashable, Any] = {}
_speeds: dict[Any, SpeedModel] = {}
_warm_up = KokoroEngine._warm_up


def keep(patch: pytest.MonkeyPatch) -> None:
    """Until ``patch`` is undone, what has been loaded once is not loaded again."""
    patch.setattr(kokoro_onnx, "OnnxStreamingKokoro", _kokoro)
    patch.setattr(KokoroEngine, "_warm_up", _warm_once)
    patch.setattr(whisper, "WhisperDecoder", _decoder)
    patch.setattr(senses, "prepare_phrases", _phrases)


def _kokoro(
    prepared: Prepared, threads: int = 0, graphs: Graphs = FLOAT32_GRAPHS
) -> OnnxStreamingKokoro:
    key = (prepared.folder, threads, graphs)
    if key not in _loaded:
        _loaded[key] = OnnxStreamingKokoro(prepared, threads, graphs)
    return _loaded[key]


def _warm_once(engine: KokoroEngine, model: Any, *of: Any) -> None:
    if model not in _speeds:
        _warm_up(engine, model, *of)
        _speeds[model] = engine.speed_model
    engine.speed_model = copy.deepcopy(_speeds[model])


def _decoder(model_dir: Path, *, threads: int, workers: int, language: str) -> WhisperDecoder:
    key = ("whisper", model_dir, threads, workers, language)
    if key not in _loaded:
        _loaded[key] = WhisperDecoder(
            model_dir, threads=threads, workers=workers, language=language
        )
    return _loaded[key]


async def _phrases(
    engine: SpeechEngine, voice: str, speed: float, texts: list[str]
) -> dict[str, list[PcmChunk]]:
    of = ("phrase", engine.name, voice, speed)
    new = [text for text in texts if (*of, text.strip()) not in _loaded]
    for text, chunks in (await prepare_phrases(engine, voice, speed, new)).items():
        _loaded[(*of, text)] = chunks
    kept = {text.strip(): _loaded.get((*of, text.strip())) for text in texts}
    return {text: chunks for text, chunks in kept.items() if chunks is not None}
