"""Models come from a folder too: a stick, a shared disk, whatever the files are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from speech.models.local import LocalSource
from speech.models.pull import PullError, pull_model
from tests.models.support import Heard, content, make_model

FILES = {"model.bin": content("model", 40_000), "words.txt": content("words", 900)}
MODEL = make_model(FILES)


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def installed(root: Path) -> dict[str, bytes]:
    return {name: (root / "tiny" / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("layout", ["tiny/{}", "{}", "some other name of {}"])
def test_every_layout(tmp_path: Path, stick: Path, layout: str) -> None:
    (stick / "tiny").mkdir()
    for name, data in FILES.items():
        (stick / layout.format(name)).write_bytes(data)
    heard = Heard()
    pulled = pull_model(MODEL, [LocalSource(stick)], tmp_path, heard)
    assert pulled.source == "local"
    assert installed(tmp_path) == FILES
    assert heard.done == heard.total == MODEL.size
    assert sorted(path.name for path in stick.rglob("*") if path.is_file())  # copied, not moved


def test_right_file_beside_a_wrong_one_of_its_name(tmp_path: Path, stick: Path) -> None:
    (stick / "words.txt").write_bytes(FILES["words.txt"])
    (stick / "model.bin").write_bytes(content("other", 40_000))
    (stick / "copy.bin").write_bytes(FILES["model.bin"])
    pull_model(MODEL, [LocalSource(stick)], tmp_path)
    assert installed(tmp_path) == FILES


def test_wrong_hash_is_refused_by_name(tmp_path: Path, stick: Path) -> None:
    (stick / "words.txt").write_bytes(FILES["words.txt"])
    (stick / "model.bin").write_bytes(content("other", 40_000))
    with pytest.raises(PullError, match=r"model\.bin in .* has another SHA-256: refused"):
        pull_model(MODEL, [LocalSource(stick)], tmp_path)
    assert not (tmp_path / "tiny" / "model.bin").exists()


def test_absent_file_and_absent_folder_are_named(tmp_path: Path, stick: Path) -> None:
    with pytest.raises(PullError, match=r"local: no tiny/model\.bin in "):
        pull_model(MODEL, [LocalSource(stick)], tmp_path)
    with pytest.raises(PullError, match="nowhere is not a folder"):
        pull_model(MODEL, [LocalSource(tmp_path / "nowhere")], tmp_path)


def test_the_next_source_completes_what_the_first_began(tmp_path: Path, stick: Path) -> None:
    (stick / "words.txt").write_bytes(FILES["words.txt"])
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.bin").write_bytes(FILES["model.bin"])
    pull_model(MODEL, [LocalSource(stick), LocalSource(other)], tmp_path)
    assert installed(tmp_path) == FILES


def test_only_what_is_missing_is_copied(tmp_path: Path, stick: Path) -> None:
    for name, data in FILES.items():
        (stick / name).write_bytes(data)
    pull_model(MODEL, [LocalSource(stick)], tmp_path)
    (tmp_path / "tiny" / "words.txt").write_bytes(b"damaged")
    kept = (tmp_path / "tiny" / "model.bin").stat()
    pull_model(MODEL, [LocalSource(stick)], tmp_path)
    assert installed(tmp_path) == FILES
    assert (tmp_path / "tiny" / "model.bin").stat().st_ino == kept.st_ino


def test_no_source_at_all(tmp_path: Path) -> None:
    with pytest.raises(PullError, match=r"no source is set in models\.sources"):
        pull_model(MODEL, [], tmp_path)
