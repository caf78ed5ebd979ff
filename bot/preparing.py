"""Making Kokoro ready before it is needed: once, offline, some seconds."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.voice import KOKORO, VOICES, Notify, build_one, said_as_progress
from speech.engines.kokoro_onnx import DAMAGED, PREPARED
from speech.kokoro.graph.model_graph import UnknownGraphError
from speech.kokoro.graph.prepare import Prepared, discard_rot, folder_of, prepare
from speech.kokoro.precision import is_chosen
from speech.kokoro.prepared_files import damaged, is_recorded
from speech.kokoro.shipped import known_statistics
from speech.kokoro.voices import load_voice
from speech.models.catalog import Model, find_model
from speech.models.store import Progress, check_files, is_usable, models_root


def prepared_folder(model: Model, root: Path) -> Path | None:
    """Where what is prepared of the model lies or will lie; None if it is used as it is."""
    if model.id != KOKORO:
        return None
    return folder_of(root / model.id / PREPARED, model.files[0].sha256)


def is_prepared(model: Model, root: Path) -> bool | None:
    """Whether the model can stream at once; None if it needs no preparing. Reads no file."""
    folder = prepared_folder(model, root)
    return None if folder is None else is_recorded(folder)


def rotten(model: Model, root: Path, progress: Progress) -> list[Path]:
    """Prepared files that are not what was written; every one is read."""
    folder = prepared_folder(model, root)
    if folder is None or not folder.is_dir():
        return []
    return [folder / name for name in damaged(folder, progress)]


def prepare_voice(settings: Settings, notify: Notify) -> bool:
    """Prepare Kokoro for streaming, measure its precisions and the configured voice; whether there
    was need.

    Blocks. Two processes may do it at once. What is damaged is made anew. Raises
    ``ModelFileError``, ``UnknownVoiceError`` and ``EngineError``.
    """
    root = models_root(settings.models.dir)
    if "kokoro_onnx" not in settings.tts.engines or not _installed(KOKORO, root):
        return False
    progress = said_as_progress(notify)
    try:
        made, prepared = _prepare(find_model(KOKORO), root, progress)
    except UnknownGraphError:  # the engine says so when it speaks with it
        return False
    tts = settings.tts
    is_ready = is_chosen(prepared, tts.precision, tts.threads)
    if _installed(VOICES, root) and not (is_ready and _is_measured(settings, root)):
        asyncio.run(_measure(settings, notify))
        return True
    return made


def _installed(model_id: str, root: Path) -> bool:
    model = find_model(model_id)
    return is_usable(model, check_files(model, root / model.id))


def _prepare(model: Model, root: Path, progress: Notify) -> tuple[bool, Prepared]:
    """Whether there was need, and what is prepared."""
    cache, digest = root / model.id / PREPARED, model.files[0].sha256
    if discard_rot(cache, digest):
        progress(DAMAGED)
    was = is_prepared(model, root)
    return not was, prepare(root / model.id / model.files[0].name, cache, progress)


def _is_measured(settings: Settings, root: Path) -> bool:
    voice, model = settings.tts.voice_of("kokoro_onnx"), find_model(KOKORO)
    table = load_voice(root / VOICES, voice)
    folder = root / model.id / PREPARED
    return bool(known_statistics(folder, voice, table, model.files[0].sha256).buckets)


async def _measure(settings: Settings, notify: Notify) -> None:
    engine = build_one("kokoro_onnx", settings, Secrets(), notify)
    try:
        await engine.calibrate(settings.tts.voice_of("kokoro_onnx"))
    finally:
        await engine.aclose()
