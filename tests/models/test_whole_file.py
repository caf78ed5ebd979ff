"""A file is replaced whole or not at all, and nothing is left beside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from speech.whole_file import replacing, settle


def test_it_takes_the_place_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("old")
    with replacing(file) as part:
        part.write_text("new")
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.json"]


def test_what_fails_leaves_nothing_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("old")
    with pytest.raises(OSError, match="disk full"):
        _half(file)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def _half(file: Path) -> None:
    with replacing(file) as part:
        part.write_text("half")
        raise OSError("disk full")


def test_others_may_read_it_as_any_new_file(tmp_path: Path) -> None:
    """A cache that one user fills and another's service reads."""
    (tmp_path / "any").touch()
    with replacing(tmp_path / "a.json") as part:
        part.touch()
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("any", "a.json")}
    assert len(modes) == 1


def test_what_is_settled_was_given_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: given.append(os.fstat(handle).st_ino))
    (tmp_path / "a").write_bytes(b"whole")
    settle(tmp_path / "a")
    assert given == [(tmp_path / "a").stat().st_ino]
    assert (tmp_path / "a").read_bytes() == b"whole"
