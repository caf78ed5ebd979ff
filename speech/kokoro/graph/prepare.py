"""The prepared graphs of a model file, made once and kept."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import filelock
import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto

from speech.errors import ModelFileError
from speech.kokoro.graph.cut import find_cut
from speech.kokoro.graph.float32 import to_float32
from speech.kokoro.graph.halves import published_front, split
from speech.kokoro.graph.model_graph import ModelGraph, UnknownGraphError
from speech.kokoro.graph.static_int8 import Range
from speech.kokoro.graph.variants import (
    FRONTS,
    PRECISIONS,
    Front,
    Precision,
    front_in,
    half_in,
    int8_front,
    quantised,
)
from speech.kokoro.prepared_files import discard_damaged, is_recorded, record
from speech.kokoro.shipped import shipped_ranges
from speech.models.store import sha256_of
from speech.whole_file import settle

VERSION = 3
"""Raised whenever what is written here or shipped for it changes; older folders are removed."""
LOCK_TIMEOUT_S = 300.0
_SHARED_BYTES = 4_096
"""Weights from this size on lie in one file that both generator graphs map."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Prepared:
    """A folder with ``front.onnx``, in ``fronts``, ``whole.onnx`` and ``chunk.onnx``, in
    ``precisions``."""

    folder: Path
    layers: int
    epsilons: tuple[float, ...]
    source: dict[str, list[float]]
    precisions: tuple[Precision, ...]
    fronts: tuple[Front, ...]
    model_hash: str


def prepare(model: Path, cache: Path, progress: Progress = lambda line: None) -> Prepared:
    """The prepared graphs of ``model``, from ``cache`` or made now (some seconds).

    Two processes may ask at once: the second waits and finds them. What is there is read
    where nothing may be written too: a shared folder, a container's image. Raises
    ``UnknownGraphError`` for an export that cannot be cut, ``ModelFileError`` for a file
    that cannot be read or a cache that has to be written and cannot.
    """
    if not model.is_file():
        raise ModelFileError(
            f"no Kokoro model at {model}; fetch it with: earshot models pull kokoro-82m-int8"
        )
    digest = _hash(model)
    folder = folder_of(cache, digest)
    # The folder is whole once it is there: no lock is needed to look.
    prepared = _read(folder, digest)
    if prepared is None:
        _make_once(model, folder, lock_of(cache, digest), digest, progress)
        prepared = _read(folder, digest)
    if prepared is None:
        raise ModelFileError(f"{folder} cannot be read; remove it and run: earshot models pull")
    return prepared


def discard_rot(cache: Path, digest: str) -> bool:
    """Remove what was prepared of the model with this SHA-256 if it is damaged; whether it was.

    Every file is read. Raises ``ModelFileError`` where it cannot be removed.
    """
    try:
        return discard_damaged(folder_of(cache, digest), lock_of(cache, digest), LOCK_TIMEOUT_S)
    except (OSError, filelock.Timeout) as error:
        raise ModelFileError(f"cannot check {cache}: {error}") from error


def _make_once(model: Path, folder: Path, lock: Path, digest: str, progress: Progress) -> None:
    cache = folder.parent
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(lock, timeout=LOCK_TIMEOUT_S):
            if _read(folder, digest) is None:
                progress("preparing Kokoro for streaming (once): cutting its network in two")
                _make(model, folder, shipped_ranges(digest))
    except filelock.Timeout as error:
        raise ModelFileError(
            f"another process has been preparing {model.name} for {LOCK_TIMEOUT_S:.0f} s; "
            f"end it or remove {cache}"
        ) from error
    except OSError as error:
        raise ModelFileError(
            f"cannot prepare Kokoro in {cache}: {error.strerror or error}; prepare it once where "
            "that may be written (earshot models pull), or set models.dir to another folder"
        ) from error


def folder_of(cache: Path, digest: str) -> Path:
    """Where the prepared graphs of the model with this SHA-256 lie."""
    return cache / f"{digest[:16]}-v{VERSION}"


def lock_of(cache: Path, digest: str) -> Path:
    """Held while the folder is made."""
    return cache / f"{digest[:16]}.lock"


def _hash(model: Path) -> str:
    try:
        return sha256_of(model)
    except OSError as error:
        raise ModelFileError(f"cannot read {model}: {error.strerror}") from error


def _make(model: Path, folder: Path, ranges: Mapping[str, Range]) -> None:
    """Build in a folder beside and rename: what is there is whole."""
    part = folder.with_suffix(".part")
    for old in folder.parent.glob(f"{folder.name.rpartition('-v')[0]}-v*"):
        shutil.rmtree(old, ignore_errors=True)
    try:
        part.mkdir()
        _write(model, part, ranges)
        record(part)
        for file in part.iterdir():
            settle(file)
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write(model: Path, folder: Path, ranges: Mapping[str, Range]) -> None:
    graph = ModelGraph(_load(model))
    is_quantised = to_float32(graph) > 0
    cut = find_cut(graph)
    fronts: dict[Front, onnx.ModelProto] = {}
    if is_quantised:
        fronts["published"] = published_front(ModelGraph(_load(model)), cut)
    if is_quantised and ranges:
        fronts["int8"] = int8_front(_load(model), cut, ranges)
    halves = split(graph, cut)
    source = _source_weights(ModelGraph(halves.source))
    fronts["float32"] = halves.front
    for front, graph_of_front in fronts.items():
        onnx.save(graph_of_front, folder / f"{front_in(front)}.onnx")
    precisions = PRECISIONS if ranges else PRECISIONS[:1]
    variants = {"whole": halves.whole, "chunk": halves.chunk}
    for precision in precisions[1:]:
        for half, graph_of_half in (("whole", halves.whole), ("chunk", halves.chunk)):
            variants[half_in(half, precision)] = quantised(graph_of_half, ranges, precision)
    _save_sharing_weights(folder, variants)
    facts = {
        "epsilons": [norm.epsilon for norm in cut.norms],
        "source": source,
        "precisions": precisions,
        "fronts": [front for front in FRONTS if front in fronts],
    }
    (folder / "prepared.json").write_text(json.dumps(facts))


def _load(model: Path) -> onnx.ModelProto:
    try:
        loaded = onnx.load(model)
    except DecodeError:
        loaded = onnx.ModelProto()
    if not loaded.graph.node:  # nothing at all is a message too
        raise ModelFileError(f"{model} is no ONNX model; check it with: earshot models verify")
    return loaded


def _read(folder: Path, digest: str) -> Prepared | None:
    """What is there; None where it is not whole."""
    try:
        facts = json.loads((folder / "prepared.json").read_text()) if is_recorded(folder) else {}
        epsilons = tuple(facts["epsilons"])
        source, precisions, fronts = facts["source"], facts["precisions"], facts["fronts"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Prepared(
        folder, len(epsilons), epsilons, source, tuple(precisions), tuple(fronts), digest
    )


def _source_weights(graph: ModelGraph) -> dict[str, list[float]]:
    """The mix of the sines, its bias and the window, read off the source graph."""
    squash = graph.of_kind("Tanh")
    spectra = graph.of_kind("STFT")
    if len(squash) != 1 or len(spectra) != 1:
        raise UnknownGraphError("the harmonic source is built in an unknown way")
    added = graph.producer[squash[0].input[0]]
    bias = next(name for name in added.input if name in graph.constants)
    mixed = graph.producer[next(name for name in added.input if name in graph.producer)]
    return {
        "mix": graph.value(mixed.input[1]).ravel().astype(float).tolist(),
        "bias": graph.value(bias).ravel().astype(float).tolist(),
        "window": graph.value(spectra[0].input[2]).ravel().astype(float).tolist(),
    }


def _save_sharing_weights(folder: Path, models: dict[str, onnx.ModelProto]) -> None:
    """Large constants go to one file once, so that the sessions map the same pages."""
    places: dict[str, tuple[int, int]] = {}
    with (folder / "weights.bin").open("wb") as file:
        for model in models.values():
            for tensor in model.graph.initializer:
                data = np.ascontiguousarray(onnx.numpy_helper.to_array(tensor)).tobytes()
                if len(data) < _SHARED_BYTES:
                    continue
                if tensor.name not in places:
                    file.write(b"\0" * (-file.tell() % _SHARED_BYTES))
                    places[tensor.name] = (file.tell(), len(data))
                    file.write(data)
                _point(tensor, *places[tensor.name])
    for name, model in models.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


def _point(tensor: TensorProto, offset: int, length: int) -> None:
    tensor.ClearField("raw_data")
    tensor.ClearField("float_data")
    tensor.data_location = TensorProto.EXTERNAL
    del tensor.external_data[:]
    for key, value in (("location", "weights.bin"), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
