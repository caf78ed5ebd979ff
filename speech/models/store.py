"""The cache of model files, and the check that stands between a file and its loader."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from speech.errors import ModelFileError
from speech.models.catalog import CATALOG, Model, ModelFile, find_model
from speech.whole_file import replacing

STAMP_NAME = ".verified"
HASH_BLOCK_BYTES = 1 << 20

FileState = Literal["missing", "corrupt", "installed", "verified"]
"""``installed``: of the right size, not hashed since it last changed."""

Depth = Literal["stat", "changed", "all"]
"""What is hashed: nothing, the files changed since their last full check, every file."""

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

    A path (with a slash, or to a folder that is there) stands for the user's own model and
    is not checked but for being a folder.

    Cheap at every start: presence and size of each file, and the remembered result of the
    full SHA-256 check; a file whose size or time changed since is hashed again. Of a model
    usable in part (voices) some files may be absent. Raises ``ModelFileError`` that names
    the missing or corrupt file, ``UsageError`` for an unknown id. Blocks while it hashes
    (about 0.1 s per 100 MB): call it off the loop.
    """
    own = Path(model_id).expanduser()
    if model_id not in CATALOG and (os.sep in model_id or own.is_dir()):
        if not own.is_dir():
            raise ModelFileError(
                f"{own} is not a folder with a model: give a folder, "
                "or a model of 'earshot models list'"
            )
        return own
    model = find_model(model_id)
    folder = models_root(root) / model.id
    states = check_files(model, folder)
    for name, state in states.items():
        if state == "corrupt":
            raise ModelFileError(
                f"Model file {folder / name} is corrupt (not the size or SHA-256 it should have). "
                f"Run: earshot models pull {model.id}"
            )
    if not is_usable(model, states):
        absent = next(name for name, state in states.items() if state == "missing")
        raise ModelFileError(
            f"Model {model.id} is not complete: {folder / absent} is missing. "
            f"Run: earshot models pull {model.id}"
        )
    return folder


def is_usable(model: Model, states: dict[str, FileState]) -> bool:
    """Whether the model may be loaded with its files in these states."""
    if "corrupt" in states.values():
        return False
    present = sum(state != "missing" for state in states.values())
    return present == len(states) or (model.any_file and present > 0)


def check_files(
    model: Model, folder: Path, depth: Depth = "changed", progress: Progress | None = None
) -> dict[str, FileState]:
    """The state of each file of the model, by name; remembers what was found sound.

    Raises ``ModelFileError`` where a file may not be read.
    """
    known = _read_stamp(folder)
    states: dict[str, FileState] = {}
    stamp: dict[str, Any] = {}
    for file in model.files:
        remembered = known.get(file.name)
        state, mark = _check_file(folder / file.name, file, depth, remembered, progress)
        states[file.name] = state
        if state == "verified":
            stamp[file.name] = mark
    if stamp != known and depth != "stat":
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


def _check_file(
    path: Path, file: ModelFile, depth: Depth, remembered: object, progress: Progress | None
) -> tuple[FileState, dict[str, Any]]:
    """The state, and the mark to remember a sound file by: if it differs, hash again."""
    try:
        found = path.stat()
        mark = {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": file.sha256}
        if found.st_size != file.size:
            return "corrupt", mark
        if depth != "all" and remembered == mark:
            return "verified", mark
        if depth == "stat":
            return "installed", mark
        sound = sha256_of(path, progress) == file.sha256
        return ("verified" if sound else "corrupt"), mark
    except (FileNotFoundError, NotADirectoryError):
        return "missing", {}
    except PermissionError as error:
        raise ModelFileError(
            f"Model file {path} cannot be read: {error.strerror}. Check its permissions."
        ) from error
    except OSError:  # a directory in its place, a failing disk: as bad as wrong content
        return "corrupt", {}


def _read_stamp(folder: Path) -> dict[str, Any]:
    try:
        stamp = json.loads((folder / STAMP_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # absent or damaged: it is only a memory, hash again
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(folder: Path, stamp: dict[str, Any]) -> None:
    """Best effort: on a read-only or full disk the files are hashed at each start instead."""
    with suppress(OSError), replacing(folder / STAMP_NAME) as part:
        part.write_text(json.dumps(stamp), encoding="utf-8")
