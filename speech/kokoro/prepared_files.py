"""What lies in a folder of prepared graphs, so that rot in it is found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import filelock

from speech.models.store import Progress, sha256_of

SUMS_NAME = "sha256.json"


def record(folder: Path) -> None:
    """Write the SHA-256 of every file of the folder into it."""
    sums = {path.name: sha256_of(path) for path in sorted(folder.iterdir()) if path.is_file()}
    (folder / SUMS_NAME).write_text(json.dumps(sums, indent=1))


def is_recorded(folder: Path) -> bool:
    """Whether the folder is there and whole, as far as can be told without reading its files."""
    sums = _sums(folder)
    return bool(sums) and all((folder / name).is_file() for name in sums)


def damaged(folder: Path, progress: Progress | None = None) -> list[str]:
    """Names of files that are not what was recorded; every file is read."""
    sums = _sums(folder)
    if not sums:
        return [SUMS_NAME]
    return [name for name, wanted in sums.items() if _sum(folder / name, progress) != wanted]


def discard_damaged(folder: Path, lock: Path, timeout_s: float) -> bool:
    """Remove the folder if it is there and damaged; whether it was.

    ``lock`` is the one that its making holds. Raises ``filelock.Timeout`` and ``OSError``.
    """
    if not _is_damaged(folder):  # also where nothing may be written
        return False
    with filelock.FileLock(lock, timeout=timeout_s):
        if not _is_damaged(folder):  # another process was first
            return False
        shutil.rmtree(folder)
        return True


def _is_damaged(folder: Path) -> bool:
    return folder.is_dir() and bool(damaged(folder))


def _sums(folder: Path) -> dict[str, str]:
    """By the files' names; empty where they cannot be read."""
    try:
        sums = json.loads((folder / SUMS_NAME).read_text())
    except (OSError, ValueError):
        return {}
    return sums if isinstance(sums, dict) else {}


def _sum(path: Path, progress: Progress | None) -> str:
    try:
        return sha256_of(path, progress)
    except OSError:
        return ""
