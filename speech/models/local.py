"""Source: a folder on this machine, for instance a USB stick or a shared disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from speech.models.catalog import ModelFile
from speech.models.job import Job, SourceError
from speech.models.store import HASH_BLOCK_BYTES, sha256_of


class LocalSource:
    """Copies from ``<folder>/<model id>/<file>``, else any file of the folder with its hash."""

    name = "local"

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self._hashes: dict[Path, str] = {}

    def fetch(self, job: Job) -> None:
        """Install what the folder has; raises ``SourceError`` unless that was everything."""
        if not self._folder.is_dir():
            raise SourceError(f"{self._folder} is not a folder")
        wanted = job.missing()
        job.watch.start(f"{job.model.id} ({self.name})", sum(file.size for file in wanted))
        refused: list[str] = []
        absent: list[str] = []
        for file in wanted:
            candidates = list(self._candidates(job.model.id, file))
            found = next((path for path in candidates if self._hash(path) == file.sha256), None)
            if found:
                self._copy(job, found, file)
            else:
                (refused if candidates else absent).append(file.name)
        if refused:
            raise SourceError(f"{refused[0]} in {self._folder} has another SHA-256: refused")
        if absent:
            raise SourceError(f"no {job.model.id}/{absent[0]} in {self._folder}")

    def _candidates(self, model_id: str, file: ModelFile) -> Iterator[Path]:
        named = (self._folder / model_id / file.name, self._folder / file.name)
        yield from (path for path in named if path.is_file())
        for path in sorted(self._folder.iterdir()):
            if path not in named and path.is_file() and path.stat().st_size == file.size:
                yield path

    def _hash(self, path: Path) -> str:
        if path not in self._hashes:
            self._hashes[path] = sha256_of(path)
        return self._hashes[path]

    def _copy(self, job: Job, path: Path, file: ModelFile) -> None:
        job.need_space(file.size)
        staged = job.staging / file.name
        try:
            with path.open("rb") as source, staged.open("wb") as target:
                while block := source.read(HASH_BLOCK_BYTES):
                    target.write(block)
                    job.watch.advance(len(block))
            job.install(staged, file)
        finally:
            staged.unlink(missing_ok=True)
