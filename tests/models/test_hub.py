"""A download from the hub survives a bad line, resumes, and never installs another file."""

from __future__ import annotations

import os
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from speech.models.hub import ATTEMPTS, HubSource
from speech.models.pull import PullError, pull_model
from tests.models.support import Answer, FakeHub, Heard, content, make_model, send, sha256

DATA = content("model", 300_000)
MODEL = make_model({"model.bin": DATA})


def pull(hub: FakeHub, root: Path, heard: Heard | None = None, stall_s: float = 20.0) -> None:
    pull_model(MODEL, [HubSource(hub.url, stall_timeout_s=stall_s)], root, heard)


def installed(root: Path) -> bytes:
    return (root / "tiny" / "model.bin").read_bytes()


def refused(answer: Answer, root: Path, stall_s: float = 20.0) -> str:
    """The error of a pull against this hub, which must leave nothing installed."""
    with FakeHub(answer).serving() as hub, pytest.raises(PullError) as error:
        pull(hub, root, stall_s=stall_s)
    assert not (root / "tiny" / "model.bin").exists()
    return str(error.value)


def test_whole_file(tmp_path: Path) -> None:
    heard = Heard()
    with FakeHub(lambda handler, _: send(handler, DATA)).serving() as hub:
        pull(hub, tmp_path, heard)
    assert installed(tmp_path) == DATA
    assert hub.requests == [(f"/nobody/tiny/resolve/{'a' * 40}/model.bin", None)]
    assert heard.done == heard.total == len(DATA)
    assert not (tmp_path / ".staging" / "tiny").exists()


def test_line_cut_in_the_middle_goes_on_where_it_stopped(tmp_path: Path) -> None:
    heard = Heard()

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        send(handler, DATA, stop_after=100_000 if number < 2 else None)

    with FakeHub(answer).serving() as hub:
        pull(hub, tmp_path, heard)
    assert installed(tmp_path) == DATA
    starts = [int(wanted.removeprefix("bytes=")[:-1]) for _, wanted in hub.requests if wanted]
    assert len(starts) == 2
    assert 0 < starts[0] < starts[1] <= 200_000
    assert heard.done == len(DATA)


def test_next_pull_goes_on_where_the_last_gave_up(tmp_path: Path) -> None:
    def broken(handler: BaseHTTPRequestHandler, number: int) -> None:
        if number:
            handler.send_error(503)
        else:
            send(handler, DATA, stop_after=120_000)

    assert "503" in refused(broken, tmp_path)
    with FakeHub(lambda handler, _: send(handler, DATA)).serving() as hub:
        pull(hub, tmp_path)
    assert installed(tmp_path) == DATA
    assert hub.requests[0][1] is not None


def test_server_without_ranges_begins_anew(tmp_path: Path) -> None:
    heard = Heard()

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        send(handler, DATA, stop_after=None if number else 100_000, ranges=False)

    with FakeHub(answer).serving() as hub:
        pull(hub, tmp_path, heard)
    assert installed(tmp_path) == DATA
    assert heard.done == len(DATA)


def test_range_that_starts_elsewhere_is_not_appended(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        if number == 0:
            send(handler, DATA, stop_after=100_000)
        elif number == 1:  # says it begins at 0 though asked for the rest
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes 0-{len(DATA) - 1}/{len(DATA)}")
            handler.send_header("Content-Length", str(len(DATA)))
            handler.end_headers()
            handler.wfile.write(DATA)

    with FakeHub(answer).serving() as hub:
        pull(hub, tmp_path)
    assert installed(tmp_path) == DATA


def test_other_content_is_refused_and_not_kept(tmp_path: Path) -> None:
    other = content("other", len(DATA))
    line = refused(lambda handler, _: send(handler, other), tmp_path)
    assert sha256(other)[:12] in line
    assert "refused" in line
    assert not list((tmp_path / ".staging").rglob("*.part"))


def test_other_hash_in_the_header_is_refused_before_the_download(tmp_path: Path) -> None:
    other = content("other", len(DATA))

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        if number:
            send(handler, other)
            return
        handler.send_response(302)
        handler.send_header("Location", "/elsewhere")
        handler.send_header("X-Linked-Etag", f'"{sha256(other)}"')
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    assert "refused" in refused(answer, tmp_path)
    assert not list((tmp_path / ".staging").rglob("*.part"))


def test_endless_file_is_cut_off(tmp_path: Path) -> None:
    line = refused(lambda handler, _: send(handler, DATA + DATA), tmp_path)
    assert "longer than 300000 bytes" in line


@pytest.mark.parametrize("status", [401, 403, 404, 416, 429, 500, 503])
def test_error_answer_is_named(tmp_path: Path, status: int) -> None:
    assert str(status) in refused(lambda handler, _: handler.send_error(status), tmp_path)


def test_stalled_server_is_given_up(tmp_path: Path) -> None:
    release = threading.Event()

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        if number == 0:
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(DATA)))
            handler.end_headers()
            handler.wfile.write(DATA[:1_000])
            handler.wfile.flush()
        release.wait(20)

    try:
        line = refused(answer, tmp_path, stall_s=0.2)
    finally:
        release.set()
    assert "stalled at 1000 of 300000 bytes of model.bin" in line


def test_server_that_always_hangs_up_is_given_up(tmp_path: Path) -> None:
    count = 0

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        nonlocal count
        count = number + 1
        handler.close_connection = True

    assert "cut at 0 of" in refused(answer, tmp_path)
    assert count == ATTEMPTS


def test_nobody_listens(tmp_path: Path) -> None:
    hub = FakeHub(lambda *_: None)
    with hub.serving():
        pass
    with pytest.raises(PullError, match=r"huggingface: cannot connect to .*models\.local_dir"):
        pull(hub, tmp_path)


def test_offline_switch_is_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub = FakeHub(lambda handler, _: send(handler, DATA))
    with hub.serving(), pytest.raises(PullError, match="HF_HUB_OFFLINE is set"):
        pull(hub, tmp_path)
    assert hub.requests == []


def test_file_in_place_is_replaced_only_by_the_right_one(tmp_path: Path) -> None:
    old = tmp_path / "tiny" / "model.bin"
    old.parent.mkdir()
    old.write_bytes(b"old and corrupt")
    hub = FakeHub(lambda handler, _: handler.send_error(404))
    with hub.serving(), pytest.raises(PullError):
        pull(hub, tmp_path)
    assert old.read_bytes() == b"old and corrupt"
    with FakeHub(lambda handler, _: send(handler, DATA)).serving() as hub:
        pull(hub, tmp_path)
    assert old.read_bytes() == DATA


def test_part_longer_than_the_file_is_thrown_away(tmp_path: Path) -> None:
    part = tmp_path / ".staging" / "tiny" / "model.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(os.urandom(len(DATA) + 1))
    with FakeHub(lambda handler, _: send(handler, DATA)).serving() as hub:
        with pytest.raises(PullError):
            pull(hub, tmp_path)
        pull(hub, tmp_path)
    assert installed(tmp_path) == DATA
