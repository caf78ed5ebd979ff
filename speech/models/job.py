"""One model being fetched: what is missing, where it is staged, how a file is installed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from speech.models.catalog import Model, ModelFile
from speech.models.store import check_files, sha256_of
from speech.whole_file import settle

SPACE_MARGIN_BYTES = 16 << 20
"""Kept free beyond the computed need: file system overhead, pip's and npm's own files."""

MB = 1_000_000


class SourceError(Exception):
    """This source cannot deliver, with the reason; the next one is tried."""


class NoSpaceError(SourceError):
    """The disk has no room for what this source needs."""


class Watch(Protocol):
    """Told how a pull goes; called from the thread that pulls."""

    def start(self, label: str, total_bytes: int) -> None:
        """A transfer begins (or begins anew)."""
        ...

    def advance(self, done_bytes: int) -> None:
        """So many more bytes of it are done."""
        ...

    def notice(self, text: str) -> None:
        """One line the user should see."""
        ...


class QuietWatch:
    """Tells nobody."""

    def start(self, label: str, total_bytes: int) -> None: ...
    def advance(self, done_bytes: int) -> None: ...
    def notice(self, text: str) -> None: ...


@dataclass(frozen=True)
class Job:
    """The pull of one model. ``staging`` lies on the file system of ``folder``."""

    model: Model
    folder: Path
    staging: Path
    watch: Watch

    def missing(self) -> list[ModelFile]:
        """The files that are absent or corrupt."""
        states = check_files(self.model, self.folder)
        return [file for file in self.model.files if states[file.name] != "verified"]

    def need_space(self, size: int) -> None:
        """Raise ``NoSpaceError`` unless ``size`` bytes and a margin fit on the disk."""
        free = shutil.disk_usage(self.staging).free
        if free < size + SPACE_MARGIN_BYTES:
            raise NoSpaceError(no_space_line(self.model, self.folder, size, free))

    def install(self, staged: Path, file: ModelFile) -> None:
        """Move a staged file into place if it is what its hash names.

        Atomic: at every moment the old file, none or the whole new one is there. A wrong
        file is deleted and raises ``SourceError``.
        """
        found = sha256_of(staged)
        if found != file.sha256:
            staged.unlink()
            raise SourceError(
                f"{file.name} has SHA-256 {found[:12]}…, not {file.sha256[:12]}…: refused"
            )
        settle(staged)
        self.folder.mkdir(parents=True, exist_ok=True)
        os.replace(staged, self.folder / file.name)


def no_space_line(model: Model, folder: Path, size: int, free: int) -> str:
    """What is said when the disk is full."""
    needed = (size + SPACE_MARGIN_BYTES) / MB
    return (
        f"No room for {model.id}: {needed:.0f} MB needed in {folder.parent}, "
        f"{free / MB:.0f} MB free. Free some space or set models.dir to another disk."
    )
