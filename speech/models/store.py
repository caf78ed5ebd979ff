"""The cache of model files, and the check that stands between a file and its loader."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from speech.errors import ModelFileError
from speech.models.catalog import Model, ModelFile, find_model

STAMP_NAME = ".verified"
HASH_BLOCK_BYTES = 1 << 20

Progress = Callable[[int], None]
"""Called with the number of bytes done since the last call."""


def models_root(root: Path | None = None) -> Path:
    """Where models are kept.

    The argument, else ``EARSHOT_MODELS__DIR``, else ``earshot/models`` in the user's cache.
    """
    if root is not None:
        return Path(root).expanduser()
    if named := os.environ.get("EARSHOT_MODELS__DIR"):
        return Path(named).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "earshot" / "models"


def model_dir(model_id: str, root: Path | None = None) -> Path:
    """The folder of an installed model, whose files are what their hashes name.

    Cheap at every start: presence and size of each file, and the remembered result of the
    full SHA-256 check; a file whose size or time changed since is hashed again. Raises
    ``ModelFileError`` that names the missing or corrupt file, ``UsageError`` for an
    unknown id. Blocks for the hashing (about 0.1 s per 100 MB): call it off the loop.
    """
    model = find_model(model_id)
    folder = models_root(root) / model.id
    states = check_files(model, folder)
    absent = [name for name, state in states.items() if state == "missing"]
    for name, state in states.items():
        if state == "corrupt":
            raise ModelFileError(
                f"Model file {folder / name} is corrupt (not the size or SHA-256 it should have). "
                f"Run: earshot models pull {model.id}"
            )
    if absent and not (model.any_file and len(absent) < len(states)):
        raise ModelFileError(
            f"Model {model.id} is not complete: {folder / absent[0]} is missing. "
            f"Run: earshot models pull {model.id}"
        )
    return folder


def check_files(model: Model, folder: Path, *, rehash: bool = False) -> dict[str, str]:
    """``installed``, ``missing`` or ``corrupt`` for each file of the model.

    Without ``rehash`` a file that has not changed since its last full check is not read.
    """
    known = {} if rehash else _read_stamp(folder)
    states: dict[str, str] = {}
    stamp: dict[str, Any] = {}
    for file in model.files:
        path = folder / file.name
        mark = _mark(path, file)
        if mark is None:
            states[file.name] = "missing"
        elif mark["size"] == file.size and (known.get(file.name) == mark or _is_sound(path, file)):
            states[file.name] = "installed"
            stamp[file.name] = mark
        else:
            states[file.name] = "corrupt"
    if stamp != known:
        _write_stamp(folder, stamp)
    return states


def sha256_of(path: Path, progress: Progress | None = None) -> str:
    """The file's SHA-256 in hex; ``OSError`` where it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(HASH_BLOCK_BYTES):
            digest.update(block)
            if progress:
                progress(len(block))
    return digest.hexdigest()


def _is_sound(path: Path, file: ModelFile) -> bool:
    try:
        return sha256_of(path) == file.sha256
    except PermissionError as error:
        raise ModelFileError(
            f"Model file {path} cannot be read: {error.strerror}. Check its permissions."
        ) from error
    except OSError:  # a medium that fails under the read: as bad as wrong content
        return False


def _mark(path: Path, file: ModelFile) -> dict[str, Any] | None:
    """What a stamp remembers of a sound file: if any of it differs, it is hashed again."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ModelFileError(
            f"Model file {path} cannot be read: {error.strerror}. Check its permissions."
        ) from error
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": file.sha256}


def _read_stamp(folder: Path) -> dict[str, Any]:
    try:
        stamp = json.loads((folder / STAMP_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # absent or damaged: it is only a memory, hash again
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(folder: Path, stamp: dict[str, Any]) -> None:
    """Best effort: on a read-only or full disk the files are hashed at each start instead."""
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=STAMP_NAME, dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(stamp, stream)
        os.replace(temporary, folder / STAMP_NAME)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
