"""A small model, the packages and the hub that carry it, and what a pull tells."""

from __future__ import annotations

import hashlib
import http.server
import random
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from speech.models.catalog import Hub, Model, ModelFile, Package

REVISION = "a" * 40


def content(name: str, size: int) -> bytes:
    """Bytes that differ with the name and do not compress."""
    return random.Random(name).randbytes(size)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_model(
    files: Mapping[str, bytes],
    *packages: Package,
    model_id: str = "tiny",
    any_file: bool = False,
    hub: bool = True,
) -> Model:
    """A catalog entry for these files; each package is a mirror's part, all in one mirror."""
    return Model(
        id=model_id,
        purpose="test",
        licence="MIT",
        upstream="nobody/tiny",
        files=tuple(ModelFile(name, len(data), sha256(data)) for name, data in files.items()),
        mirrors=(packages,) if packages else (),
        hub=Hub("nobody/tiny", REVISION, {name: name for name in files}) if hub else None,
        any_file=any_file,
    )


def write_wheel(folder: Path, name: str, version: str, members: Mapping[str, bytes]) -> Path:
    """A wheel that pip takes, carrying these members."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    path = folder / f"{module}-{version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as wheel:
        for member, data in members.items():
            wheel.writestr(member, data)
        wheel.writestr(
            f"{info}/METADATA",
            # a Python no one has and a dependency no index has: the pull must mind neither
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            "Requires-Python: >=9\nRequires-Dist: no-such-dependency==1\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return path


@dataclass
class Heard:
    """A watch that remembers."""

    notices: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    total: int = 0
    done: int = 0

    def start(self, label: str, total_bytes: int) -> None:
        self.labels.append(label)
        self.total, self.done = total_bytes, 0

    def advance(self, done_bytes: int) -> None:
        self.done += done_bytes

    def notice(self, text: str) -> None:
        self.notices.append(text)


Answer = Callable[[http.server.BaseHTTPRequestHandler, int], None]
"""Handles the n-th request (from 0)."""


class FakeHub:
    """A loopback HTTP server with the hub's URLs; ``answers`` says how it behaves."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[tuple[str, str | None]] = []
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                number = len(hub.requests)
                hub.requests.append((self.path, self.headers.get("Range")))
                answer(self, number)

            def log_message(self, *_: object) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def serving(self) -> Iterator[FakeHub]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()


def send(
    handler: http.server.BaseHTTPRequestHandler,
    data: bytes,
    *,
    stop_after: int | None = None,
    ranges: bool = True,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Serve ``data``, from where the client wants it; cut the line after some bytes."""
    wanted = handler.headers.get("Range")
    start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and ranges else 0
    body = data[start:]
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[:stop_after])
    if stop_after is not None:
        handler.wfile.flush()
        handler.close_connection = True


def two_parts(data: bytes) -> tuple[Package, Package]:
    """Two packages that carry the halves of ``model.bin``; see ``part_wheels``."""
    return (
        Package("wheel", "tiny-part-1", "1.0", len(data) // 2, {"model.bin": "tiny_1/part.bin"}),
        Package("wheel", "tiny-part-2", "1.0", len(data) // 2, {"model.bin": "tiny_2/part.bin"}),
    )


def part_wheels(folder: Path, data: bytes) -> list[Path]:
    """The wheels of ``two_parts``."""
    half = len(data) // 2
    return [
        write_wheel(folder, f"tiny-part-{number}", "1.0", {f"tiny_{number}/part.bin": part})
        for number, part in ((1, data[:half]), (2, data[half:]))
    ]
