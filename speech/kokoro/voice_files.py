"""The files voices come in.

``NAME.bin`` is the raw table, ``NAME.pt`` torch's, ``NAME.npy`` numpy's. An ``.npz``, and a
``.bin`` that is one (``voices-v1.0.bin`` of kokoro-onnx), holds a voice for each of its arrays;
an array without a name of its own is called after the file.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.errors import ModelFileError
from speech.kokoro.torch_tensor import read_tensor

STYLE_ROWS = 510
STYLE_SIZE = 256
SHAPE = (STYLE_ROWS, 1, STYLE_SIZE)

Voice = NDArray[np.float32]
"""float32 ``[510, 1, 256]``: row n-1 is the style of an utterance of n phonemes."""

_FORMS = (".bin", ".pt", ".npy", ".npz")
"""In this order: of two files for one name the former is read. Archives come last."""
_BIN_BYTES = STYLE_ROWS * STYLE_SIZE * 4
_LARGEST_BYTES = 4 * _BIN_BYTES
"""Of one voice in any form: a table of float64 and as much again."""
_UNNAMED = ("arr_0", "voice", "style")
_NAME = re.compile(r"[^\s+:/\\]+")
"""A ``+`` or ``:`` would read as a blend."""


@dataclass(frozen=True, slots=True)
class VoiceFile:
    """Where a voice is kept; ``member`` is its array in an archive."""

    path: Path
    member: str = ""

    def read(self) -> Voice:
        """The table. Raises ``ModelFileError``: noise would be heard of anything else."""
        try:
            voice = self._table()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ModelFileError(f"cannot read the voice {self.path}: {reason}") from error
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError) as error:
            fault = " ".join(str(error).split()) or type(error).__name__
            raise ModelFileError(self._not_a_voice(f"is no voice: {fault}")) from error
        if not np.isfinite(voice).all():
            raise ModelFileError(self._not_a_voice("holds values that are not numbers"))
        return voice

    def _not_a_voice(self, fault: str) -> str:
        what = f"{self.path}, array {self.member}," if self.member else str(self.path)
        is_ours = self.path.suffix == ".bin" and not self.member
        advice = "fetch it again with: earshot models pull kokoro-voices"
        return f"{what} {fault}; {advice if is_ours else 'replace or remove the file'}"

    def _table(self) -> Voice:
        if self.member:
            with zipfile.ZipFile(self.path) as archive:
                return _npy(_limited(archive.getinfo(f"{self.member}.npy"), archive))
        size = self.path.stat().st_size
        if self.path.suffix == ".bin" and size != _BIN_BYTES:
            raise ValueError(f"it has {size} bytes where a voice has {_BIN_BYTES}")
        if size > _LARGEST_BYTES:
            raise ValueError(f"it has {size} bytes, too many for a voice")
        return _READERS[self.path.suffix](self.path.read_bytes())


def voice_files(folder: Path) -> dict[str, VoiceFile]:
    """Every voice of a folder by its name; a folder that is not there has none.

    Only files count: a pipe or a device would be waited for.
    """
    found: dict[str, VoiceFile] = {}
    archives = []
    for form in _FORMS:
        for path in filter(os.path.isfile, sorted(folder.glob(f"*{form}"))):
            if form == ".npz" or (form == ".bin" and _is_archive(path)):
                archives.append(path)
            elif _NAME.fullmatch(path.stem):
                found.setdefault(path.stem, VoiceFile(path))
    for path in archives:
        for name, member in _members(path):
            if _NAME.fullmatch(name):
                found.setdefault(name, VoiceFile(path, member))
    return found


def _is_archive(path: Path) -> bool:
    """Told by its size first, so that a folder of plain voices is listed without opening any."""
    try:
        return path.stat().st_size != _BIN_BYTES and zipfile.is_zipfile(path)
    except OSError:
        return False


def _members(path: Path) -> Iterator[tuple[str, str]]:
    """The archive's voices and their arrays; a damaged one counts as a voice, to be told of."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
    except (OSError, zipfile.BadZipFile, NotImplementedError):
        names = []
    if not names:
        yield path.stem, _UNNAMED[0]
    for name in names:
        yield (path.stem if name in _UNNAMED else name), name


def _limited(member: zipfile.ZipInfo, archive: zipfile.ZipFile) -> bytes:
    if member.file_size > _LARGEST_BYTES:
        raise ValueError(f"it has {member.file_size} bytes, too many for a voice")
    return archive.read(member)


def _raw(data: bytes) -> Voice:
    return np.frombuffer(data, "<f4").astype(np.float32).reshape(SHAPE)


def _npy(data: bytes) -> Voice:
    """The header is read first: it may ask for any amount of memory, or for a pickle."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"it is of numpy's format {version}")
    header = np.lib.format.read_array_header_1_0
    if version == (2, 0):
        header = np.lib.format.read_array_header_2_0
    shape, is_fortran, kind = header(file)
    if shape != SHAPE:
        raise ValueError(f"its shape is {list(shape)} where a voice has {list(SHAPE)}")
    if kind.kind != "f" or kind.itemsize > 8:
        raise ValueError(f"its values are {kind} and not float32")
    values = np.frombuffer(data, kind, STYLE_ROWS * STYLE_SIZE, file.tell())
    return values.reshape(SHAPE, order="F" if is_fortran else "C").astype(np.float32)


def _pt(data: bytes) -> Voice:
    return read_tensor(data, SHAPE)


_READERS = {".bin": _raw, ".pt": _pt, ".npy": _npy}
