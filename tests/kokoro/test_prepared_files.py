"""Prepared graphs are read wherever they lie, rot in them is found, the damaged are made anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from speech.engines.kokoro_onnx import KokoroOnnxEngine
from speech.errors import ModelFileError
from speech.kokoro.graph.prepare import Prepared, folder_of, lock_of, prepare
from speech.kokoro.prepared_files import damaged, discard_damaged, is_recorded, record
from speech.models.store import sha256_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "abc-v1"
    folder.mkdir()
    for name in ("front.onnx", "weights.bin"):
        (folder / name).write_bytes(name.encode() * 100)
    record(folder)
    return folder


def test_a_whole_folder_is_whole(folder: Path) -> None:
    read: list[int] = []
    assert is_recorded(folder)
    assert damaged(folder, read.append) == []
    assert sum(read) == sum(len(name) * 100 for name in ("front.onnx", "weights.bin"))


def test_files_added_later_do_not_count(folder: Path) -> None:
    (folder / "choice.json").write_text("{}")
    assert damaged(folder) == []


def test_rot_and_loss_are_named(folder: Path) -> None:
    rotten = bytearray((folder / "front.onnx").read_bytes())
    rotten[5] ^= 1
    (folder / "front.onnx").write_bytes(rotten)
    (folder / "weights.bin").unlink()
    assert damaged(folder) == ["front.onnx", "weights.bin"]


@pytest.mark.parametrize("sums", [None, "", "{"])
def test_without_its_sums_nothing_is_known(folder: Path, sums: str | None) -> None:
    (folder / "sha256.json").unlink()
    if sums is not None:
        (folder / "sha256.json").write_text(sums)
    assert damaged(folder) == ["sha256.json"]


def test_only_a_damaged_folder_is_discarded(folder: Path, tmp_path: Path) -> None:
    lock = tmp_path / "abc.lock"
    assert not discard_damaged(folder, lock, 1.0)
    assert folder.is_dir()
    (folder / "front.onnx").unlink()
    assert discard_damaged(folder, lock, 1.0)
    assert not folder.exists()
    assert not discard_damaged(folder, lock, 1.0)
    shutil.rmtree(tmp_path)


def test_what_is_prepared_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    """A shared folder, a container: there the lock cannot be taken, nor need it be."""
    model, cache = tmp_path / "model.onnx", tmp_path / "prepared"
    model.write_bytes(b"graph")
    digest = sha256_of(model)
    lock_of(cache, digest).mkdir(parents=True)  # so that not even root can make a lock file
    with pytest.raises(ModelFileError, match=r"cannot prepare Kokoro in .*earshot models pull"):
        prepare(model, cache)
    write_prepared(folder_of(cache, digest))
    assert prepare(model, cache).layers == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"<html>" * 1_000, b"\x08\x08:\xff\xff\x03"])
def test_what_is_no_model_is_told_and_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    model, cache = tmp_path / "model.onnx", tmp_path / "prepared"
    model.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"model\.onnx is no ONNX model; check it with"):
        prepare(model, cache)
    assert not [path for path in cache.iterdir() if path.is_dir()]


def write_prepared(folder: Path) -> None:
    folder.mkdir(parents=True)
    facts = {"epsilons": [1e-5], "source": {}, "precisions": ["float32"]}
    (folder / "prepared.json").write_text(json.dumps({**facts, "fronts": ["float32"]}))
    (folder / "front.onnx").write_bytes(b"front")
    record(folder)


class FakeEngine(KokoroOnnxEngine):
    """Graphs that say "front" can be loaded; others are made so."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "model.onnx").write_bytes(b"graph")
        np.zeros(510 * 256, "<f4").tofile(folder / "af_x.bin")
        self.made = 0
        self.said: list[str] = []
        self.prepared = folder_of(folder / "prepared", sha256_of(folder / "model.onnx"))
        super().__init__(
            folder / "model.onnx", folder, precision="float32", progress=self.said.append
        )
        monkeypatch.setattr("speech.kokoro.graph.prepare._make", self.make)
        monkeypatch.setattr("speech.engines.kokoro_onnx.OnnxStreamingKokoro", self.load)

    def make(self, _model: Path, folder: Path, _ranges: object) -> None:
        self.made += 1
        shutil.rmtree(folder, ignore_errors=True)
        write_prepared(folder)

    def load(self, prepared: Prepared, *_: object) -> str:
        if (prepared.folder / "front.onnx").read_bytes() != b"front":
            raise ModelFileError("front.onnx cannot be loaded")
        return "loaded"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("front.onnx", None),
        ("front.onnx", b""),
        ("front.onnx", b"fro"),
        ("prepared.json", None),
        ("prepared.json", b"\x00\x00"),
        ("prepared.json", b"[]"),
        ("prepared.json", b"{}"),
        ("sha256.json", None),
        ("sha256.json", b""),
        ("sha256.json", b"[1]"),
    ],
)
def test_an_engine_makes_what_it_cannot_load_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes | None
) -> None:
    """A disk that was full or lost its power leaves such files."""
    engine = FakeEngine(tmp_path, monkeypatch)
    write_prepared(engine.prepared)
    assert engine._load_model() == "loaded"
    assert engine.made == 0
    (engine.prepared / name).unlink()
    if content is not None:
        (engine.prepared / name).write_bytes(content)
    engine.said.clear()
    assert engine._load_model() == "loaded"
    assert engine.made == 1
    assert engine.said
    assert damaged(engine.prepared) == []


def test_what_cannot_be_loaded_though_it_is_whole_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = FakeEngine(tmp_path, monkeypatch)
    write_prepared(engine.prepared)
    (engine.prepared / "front.onnx").write_bytes(b"of another version")
    (engine.prepared / "sha256.json").unlink()
    record(engine.prepared)
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        engine._load_model()
    assert engine.made == 0
