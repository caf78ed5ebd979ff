"""A tensor that torch saved, read without torch and without trusting the file.

``torch.save`` writes a zip: ``data.pkl`` says how the tensor lies in a storage, ``data/0`` holds
the storage's bytes. A pickle can call anything; here only the instructions that torch needs for
one float tensor are carried out, and the only call among them is ours.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import zipfile
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

_LARGEST_PICKLE = 4_096
"""Bytes; torch's for one tensor has about 170."""
_LARGEST_STORAGE = 4
"""Tensors: a saved slice brings all of what it was cut from."""
_CONTAINERS = {"MARK", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_TUPLE"}
_VALUES = {"BINUNICODE", "BININT", "BININT1", "BININT2", "NEWFALSE", "NEWTRUE", "GLOBAL"}
_STEPS = {"PROTO", "BINPUT", "BINGET", "BINPERSID", "REDUCE", "STOP"}
_INSTRUCTIONS = _CONTAINERS | _VALUES | _STEPS
"""What torch's pickles (protocol 2) of one tensor consist of."""


class TensorError(ValueError):
    """The file is no float32 tensor saved by torch; the message says why."""


@dataclass(frozen=True, slots=True)
class _Storage:
    key: str
    count: int


@dataclass(frozen=True, slots=True)
class _Layout:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


class _FloatStorage:
    """Stands for ``torch.FloatStorage``."""


def read_tensor(data: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """The tensor of this ``shape`` in the bytes of a ``.pt`` file. Raises ``TensorError``."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read(archive, shape)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise TensorError(f"it is damaged, or no file of torch ({error})") from error


def _read(archive: zipfile.ZipFile, shape: tuple[int, ...]) -> NDArray[np.float32]:
    index = next((name for name in archive.namelist() if name.endswith("data.pkl")), None)
    if index is None:
        raise TensorError("it is no file of torch: it has no data.pkl")
    folder = index.removesuffix("data.pkl")
    layout = _layout(_member(archive, index, _LARGEST_PICKLE))
    if layout.shape != shape:
        raise TensorError(f"its shape is {list(layout.shape)} where a voice has {list(shape)}")
    if not _is_contiguous(layout):
        raise TensorError("its values do not lie one after the other; save a contiguous copy")
    count = int(np.prod(shape))
    if layout.storage.count > _LARGEST_STORAGE * count:
        raise TensorError(f"its storage holds {layout.storage.count} values, too many for a voice")
    values = np.frombuffer(_storage(archive, folder, layout.storage), _byte_order(archive, folder))
    if not 0 <= layout.offset <= len(values) - count:
        raise TensorError("it has fewer values than its shape")
    return values[layout.offset : layout.offset + count].astype(np.float32).reshape(shape)


def _member(archive: zipfile.ZipFile, name: str, largest: int) -> bytes:
    try:
        size = archive.getinfo(name).file_size
    except KeyError as error:
        raise TensorError(f"it lacks {name}") from error
    if size > largest:
        raise TensorError(f"its {name} has {size} bytes where at most {largest} are in place")
    return archive.read(name)


def _storage(archive: zipfile.ZipFile, folder: str, storage: _Storage) -> bytes:
    content = _member(archive, f"{folder}data/{storage.key}", storage.count * 4)
    if len(content) != storage.count * 4:
        raise TensorError(f"it has {len(content)} bytes of values where it says {storage.count}")
    return content


def _byte_order(archive: zipfile.ZipFile, folder: str) -> str:
    name = f"{folder}byteorder"
    is_big = name in archive.namelist() and _member(archive, name, 16) == b"big"
    return ">f4" if is_big else "<f4"


def _is_contiguous(layout: _Layout) -> bool:
    expected, strides = 1, []
    for size in reversed(layout.shape):
        strides.append(expected)
        expected *= size
    pairs = zip(layout.shape, layout.stride, reversed(strides), strict=False)
    return len(layout.stride) == len(layout.shape) and all(
        size == 1 or stride == wanted for size, stride, wanted in pairs
    )


def _layout(content: bytes) -> _Layout:
    try:
        for instruction, _, _ in pickletools.genops(content):
            if instruction.name not in _INSTRUCTIONS:
                raise TensorError(f"its pickle asks for {instruction.name}, which no tensor needs")
        found = _TensorUnpickler(io.BytesIO(content)).load()
    except TensorError:
        raise
    except Exception as error:  # a broken pickle raises nearly anything
        raise TensorError(f"its pickle is damaged ({type(error).__name__})") from error
    if not isinstance(found, _Layout):
        raise TensorError("it holds something else than one tensor")
    return found


class _TensorUnpickler(pickle.Unpickler):
    """Knows the three names in torch's pickle of a float tensor, and what they stand for."""

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("torch._utils", "_rebuild_tensor_v2"): _rebuild,
            ("torch", "FloatStorage"): _FloatStorage,
            ("collections", "OrderedDict"): _no_hooks,
        }
        if (module, name) not in known:
            _refuse(f"{module}.{name}")
        return known[module, name]

    def persistent_load(self, pid: Any) -> _Storage:
        kind, storage, key, _device, count = pid
        if kind != "storage" or storage is not _FloatStorage:
            _refuse("a storage of another kind than float32")
        if not isinstance(key, str) or not isinstance(count, int) or count < 0:
            _refuse("a storage without name or size")
        return _Storage(key, count)


def _refuse(what: str) -> NoReturn:
    raise TensorError(f"its pickle asks for {what}; a voice is one float32 tensor and no more")


def _no_hooks() -> None:
    """Stands for the empty ``OrderedDict`` of a tensor without hooks."""


def _rebuild(
    storage: Any, offset: Any, shape: Any, stride: Any, _gradient: Any, _hooks: Any, *_more: Any
) -> _Layout:
    numbers = (offset, *shape, *stride)
    if not isinstance(storage, _Storage) or not all(type(n) is int and n >= 0 for n in numbers):
        _refuse("a tensor whose layout is not numbers")
    return _Layout(storage, offset, tuple(shape), tuple(stride))
