"""A model is handed out only when every file is what its hash names; a changed file is noticed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from speech.errors import ModelFileError, UsageError
from speech.models import store
from speech.models.catalog import CATALOG, Model
from speech.models.store import check_files, model_dir, models_root, sha256_of
from tests.models.support import content, make_model

FILES = {"model.bin": content("model", 4_000), "vocabulary.txt": content("words", 300)}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    entry = make_model(FILES)
    monkeypatch.setitem(CATALOG, entry.id, entry)
    return entry


@pytest.fixture
def folder(tmp_path: Path, model: Model) -> Path:
    folder = tmp_path / model.id
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read in full, as it happens."""
    names: list[str] = []

    def counted(path: Path, progress: store.Progress | None = None) -> str:
        names.append(path.name)
        return sha256_of(path, progress)

    monkeypatch.setattr(store, "sha256_of", counted)
    return names


def test_second_check_reads_nothing(folder: Path, hashed: list[str]) -> None:
    assert model_dir("tiny", folder.parent) == folder
    assert sorted(hashed) == sorted(FILES)
    hashed.clear()
    assert model_dir("tiny", folder.parent) == folder
    assert hashed == []


def test_only_a_touched_file_is_hashed_again(folder: Path, hashed: list[str]) -> None:
    model_dir("tiny", folder.parent)
    hashed.clear()
    os.utime(folder / "model.bin", ns=(1, 1))
    model_dir("tiny", folder.parent)
    assert hashed == ["model.bin"]


def test_changed_content_of_the_same_size_is_refused_by_name(folder: Path) -> None:
    model_dir("tiny", folder.parent)
    damaged = bytearray(FILES["model.bin"])
    damaged[100] ^= 1
    (folder / "model.bin").write_bytes(damaged)
    for _ in range(2):  # the refusal is not forgotten
        with pytest.raises(ModelFileError, match=r"tiny/model\.bin is corrupt.*models pull tiny"):
            model_dir("tiny", folder.parent)


@pytest.mark.parametrize("size", [0, 3_999, 4_001])
def test_wrong_size_is_refused_without_reading(folder: Path, hashed: list[str], size: int) -> None:
    os.truncate(folder / "model.bin", size)
    with pytest.raises(ModelFileError, match=r"model\.bin is corrupt"):
        model_dir("tiny", folder.parent)
    assert "model.bin" not in hashed


def test_missing_file_is_named(folder: Path) -> None:
    (folder / "vocabulary.txt").unlink()
    with pytest.raises(ModelFileError, match=r"vocabulary\.txt is missing.*models pull tiny"):
        model_dir("tiny", folder.parent)


def test_absent_model_and_unknown_id(tmp_path: Path, model: Model) -> None:
    with pytest.raises(ModelFileError, match="is missing"):
        model_dir("tiny", tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"Did you mean whisper-tiny\.en"):
        model_dir("whispr-tiny", tmp_path)


def test_a_directory_in_place_of_a_file_is_corrupt(folder: Path, model: Model) -> None:
    (folder / "model.bin").unlink()
    (folder / "model.bin").mkdir()
    assert check_files(model, folder)["model.bin"] == "corrupt"


def test_model_of_optional_files_needs_one(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(CATALOG, "tiny", make_model(FILES, any_file=True))
    (folder / "vocabulary.txt").unlink()
    assert model_dir("tiny", folder.parent) == folder
    (folder / "model.bin").unlink()
    with pytest.raises(ModelFileError, match="is missing"):
        model_dir("tiny", folder.parent)


@pytest.mark.parametrize("stamp", ["", "[]", "{", '{"model.bin": 3}', "\x00"])
def test_damaged_stamp_only_costs_a_hash(folder: Path, hashed: list[str], stamp: str) -> None:
    (folder / store.STAMP_NAME).write_text(stamp)
    assert model_dir("tiny", folder.parent) == folder
    assert sorted(hashed) == sorted(FILES)


def test_stamp_of_another_hash_does_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new release of Earshot that expects another file of the same size must see it."""
    model_dir("tiny", folder.parent)
    other = {**FILES, "model.bin": content("other", 4_000)}
    monkeypatch.setitem(CATALOG, "tiny", make_model(other))
    with pytest.raises(ModelFileError, match=r"model\.bin is corrupt"):
        model_dir("tiny", folder.parent)


def test_unwritable_stamp_is_no_error(
    folder: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("speech.models.store.replacing", refuse)
    model_dir("tiny", folder.parent)
    hashed.clear()
    model_dir("tiny", folder.parent)
    assert sorted(hashed) == sorted(FILES)


def test_listing_hashes_nothing(folder: Path, model: Model, hashed: list[str]) -> None:
    assert set(check_files(model, folder, "stat").values()) == {"installed"}
    assert hashed == []
    check_files(model, folder)
    assert set(check_files(model, folder, "stat").values()) == {"verified"}


def test_verifying_hashes_everything_and_tells_how_far(
    folder: Path, model: Model, hashed: list[str]
) -> None:
    check_files(model, folder)
    hashed.clear()
    steps: list[int] = []
    check_files(model, folder, "all", steps.append)
    assert sorted(hashed) == sorted(FILES)
    assert sum(steps) == model.size


def test_root_argument_before_variable_before_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.delenv("EARSHOT_MODELS__DIR", raising=False)
    assert models_root() == Path("/xdg/earshot/models")
    monkeypatch.setenv("EARSHOT_MODELS__DIR", "/named")
    assert models_root() == Path("/named")
    assert models_root(tmp_path) == tmp_path
    monkeypatch.delenv("EARSHOT_MODELS__DIR")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert models_root() == Path("~/.cache/earshot/models").expanduser()


def test_a_folder_of_the_users_own_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    assert model_dir(str(tmp_path / "mine")) == tmp_path / "mine"
    monkeypatch.chdir(tmp_path)
    assert model_dir("mine") == Path("mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert model_dir("~/mine") == tmp_path / "mine"
    with pytest.raises(ModelFileError, match=r"gone is not a folder with a model: give a folder"):
        model_dir(str(tmp_path / "gone"))


def test_a_folder_of_a_models_name_does_not_stand_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("whisper-tiny.en").mkdir()
    with pytest.raises(ModelFileError, match="not complete"):
        model_dir("whisper-tiny.en", tmp_path / "models")
