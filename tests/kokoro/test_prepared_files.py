"""Prepared graphs are read wherever they lie, rot in them is found, the damaged are made anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from speech.errors import ModelFileError
from speech.kokoro.graph.prepare import folder_of, lock_of, prepare
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
    folder_of(cache, digest).mkdir()
    facts = {"epsilons": [1e-5], "source": {}, "precisions": ["float32"]}
    (folder_of(cache, digest) / "prepared.json").write_text(
        json.dumps({**facts, "fronts": ["float32", "published"]})
    )
    assert prepare(model, cache).layers == 1
