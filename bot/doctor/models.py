"""Checks of the model files and the voice."""

from __future__ import annotations

import os
from pathlib import Path

from bot.config.nearest import nearest
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.doctor.check import Check
from bot.models import needed_models
from bot.voice import LOCAL
from speech.errors import UsageError
from speech.kokoro.blend import parse_blend
from speech.kokoro.languages import check_language
from speech.kokoro.prepared_files import is_recorded
from speech.kokoro.voices import list_voices
from speech.models.catalog import CATALOG, Model
from speech.models.store import check_files, is_usable, models_root


def check_models(settings: Settings, secrets: Secrets) -> list[Check]:
    """Each model this configuration needs; changed files are hashed."""
    return [_model(model_id, settings) for model_id in needed_models(settings, secrets)]


def check_voice(settings: Settings) -> Check | list[Check]:
    """Whether the configured voice, or each of its blend, is installed and can be spoken.

    Nothing for a remote one: see ``check_remote_voice``.
    """
    local = [engine for engine in settings.tts.engines if engine in LOCAL]
    if not local:
        return []
    have = list_voices(models_root(settings.models.dir) / "kokoro-voices")
    if not have:  # check_models says so
        return []
    voice = settings.tts.voice_of(local[0])
    try:
        missing = [part.voice for part in parse_blend(voice) if part.voice not in have]
        check_language(voice)
    except UsageError as error:
        return Check("voice", "fail", str(error), "set tts.voice")
    if not missing:
        return Check("voice", "ok", f"{voice} ({len(have)} installed)")
    meant = nearest(missing[0], have)
    fix = f"did you mean {meant}?" if meant else f"choose tts.voice from: {', '.join(have)}"
    return Check("voice", "fail", f"there is no voice {missing[0]!r}", fix)


def _unpreparable(model: Model, settings: Settings) -> Check | None:
    """A model that still has to be prepared where nothing may be written."""
    from bot.preparing import prepared_folder  # loads the speech stack

    folder = prepared_folder(model, models_root(settings.models.dir))
    if folder is None or "kokoro_onnx" not in settings.tts.engines or is_recorded(folder):
        return None
    there = next(parent for parent in folder.parents if parent.exists())
    if there.is_dir() and os.access(there, os.W_OK):
        return None
    return Check(
        f"model {model.id}", "fail", f"it is not prepared, and {there} cannot be written",
        "run earshot models pull once where it can, or set models.dir to another folder",
    )  # fmt: skip


def missing_bytes(settings: Settings, secrets: Secrets) -> int:
    """What is still to be fetched."""
    root = models_root(settings.models.dir)
    wanted = [CATALOG[name] for name in needed_models(settings, secrets) if name in CATALOG]
    return sum(_missing(model, root) for model in wanted)


def _missing(model: Model, root: Path) -> int:
    states = check_files(model, root / model.id, "stat")
    if is_usable(model, states):
        return 0
    return sum(file.size for file in model.files if states[file.name] in ("missing", "corrupt"))


def _model(model_id: str, settings: Settings) -> Check:
    name = f"model {model_id}"
    model = CATALOG.get(model_id)
    if model is None:
        meant = nearest(model_id, CATALOG)
        fix = f"did you mean {meant}?" if meant else f"known: {', '.join(CATALOG)}"
        return Check(name, "fail", "there is no such model", fix)
    folder = models_root(settings.models.dir) / model.id
    states = check_files(model, folder)
    size = f"{model.size / 1e6:.0f} MB"
    if is_usable(model, states):
        return _unpreparable(model, settings) or Check(
            name, "ok", f"{model.purpose}, {size}, {model.licence}"
        )
    corrupt = [file for file, state in states.items() if state == "corrupt"]
    found = f"{', '.join(corrupt)} is corrupt" if corrupt else f"not there yet ({size})"
    return Check(name, "fail", found, f"earshot models pull {model.id}")
