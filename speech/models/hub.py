"""Source: the Hugging Face hub, by plain HTTP with resumption."""

from __future__ import annotations

import os
import re
from pathlib import Path
from time import monotonic

import httpx

from speech.models.catalog import Hub, ModelFile
from speech.models.job import Job, SourceError

CONNECT_TIMEOUT_S = 10.0
STALL_TIMEOUT_S = 30.0
"""No byte for this long ends an attempt."""

SLOW_WINDOW_S = 60.0
SLOW_WINDOW_BYTES = 64 << 10
"""Less than this in a window counts as a stall too: such a pull would take days."""

ATTEMPTS = 3
"""In a row without a new byte; one that brought some resets the count."""

_SHA256 = re.compile(r'^(?:W/)?"?([0-9a-f]{64})"?$')


class HubSource:
    """Downloads files at their pinned revision; interrupted ones continue where they stopped."""

    name = "huggingface"

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        stall_timeout_s: float = STALL_TIMEOUT_S,
    ) -> None:
        named = endpoint or os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
        self._endpoint = named.rstrip("/")
        self._timeout = httpx.Timeout(stall_timeout_s, connect=connect_timeout_s)

    def fetch(self, job: Job) -> None:
        """Install the missing files; raises ``SourceError`` at the first that fails."""
        hub = job.model.hub
        if hub is None:
            raise SourceError("has no copy of it")
        if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "TRUE", "YES", "ON"}:
            raise SourceError("HF_HUB_OFFLINE is set")
        wanted = [file for file in job.missing() if file.name in hub.paths]
        parts = {file.name: job.staging / f"{file.name}.part" for file in wanted}
        done = sum(_size(part) for part in parts.values())
        total = sum(file.size for file in wanted)
        job.need_space(total - done)
        job.watch.start(f"{job.model.id} ({self.name})", total)
        job.watch.advance(done)
        with httpx.Client(timeout=self._timeout, follow_redirects=True) as client:
            for file in wanted:
                self._download(job, client, self._url(hub, file), parts[file.name], file)
                job.install(parts[file.name], file)

    def _url(self, hub: Hub, file: ModelFile) -> str:
        return f"{self._endpoint}/{hub.repo}/resolve/{hub.revision}/{hub.paths[file.name]}"

    def _download(
        self, job: Job, client: httpx.Client, url: str, part: Path, file: ModelFile
    ) -> None:
        left = ATTEMPTS
        while (have := _size(part)) < file.size:
            try:
                self._attempt(job, client, url, part, file)
                reason = "the connection was cut"
            except httpx.ConnectError as error:
                raise SourceError(f"cannot connect to {self._endpoint}") from error
            except httpx.TimeoutException:
                reason = "the server stalled"
            except httpx.HTTPError:
                reason = "the connection was cut"
            left = ATTEMPTS if _size(part) > have else left - 1
            if left == 0:
                raise SourceError(f"{reason} at {_size(part)} of {file.size} bytes of {file.name}")
        if have > file.size:
            part.unlink()
            raise SourceError(f"{file.name} is longer than {file.size} bytes: refused")

    def _attempt(
        self, job: Job, client: httpx.Client, url: str, part: Path, file: ModelFile
    ) -> None:
        have = _size(part)
        headers = {"Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
        with client.stream("GET", url, headers=headers) as response:
            _check_status(response, file)
            resumed = response.status_code == 206 and _range_start(response) == have
            if have and not resumed:
                job.watch.advance(-have)
            _write_body(job, response, part, "ab" if resumed else "wb", file)


def _write_body(job: Job, response: httpx.Response, part: Path, mode: str, file: ModelFile) -> None:
    window_end, window_bytes = monotonic() + SLOW_WINDOW_S, 0
    with part.open(mode) as target:
        for block in response.iter_bytes():
            target.write(block)
            job.watch.advance(len(block))
            if target.tell() > file.size:
                return
            window_bytes += len(block)
            if monotonic() > window_end:
                if window_bytes < SLOW_WINDOW_BYTES:
                    raise httpx.ReadTimeout("slower than SLOW_WINDOW_BYTES a window")
                window_end, window_bytes = monotonic() + SLOW_WINDOW_S, 0


def _check_status(response: httpx.Response, file: ModelFile) -> None:
    """Refuse early: an error, or a file that the hub itself says is another one.

    The hub names a large file's SHA-256 in ``X-Linked-Etag`` of the redirect.
    """
    if response.status_code not in (200, 206):
        raise SourceError(f"the server answered {response.status_code} for {file.name}")
    for answer in (*response.history, response):
        linked = _SHA256.match(answer.headers.get("X-Linked-Etag", ""))
        if linked and linked[1] != file.sha256:
            raise SourceError(
                f"{file.name} has SHA-256 {linked[1][:12]}…, not {file.sha256[:12]}…: refused"
            )


def _range_start(response: httpx.Response) -> int | None:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    return int(found[1]) if found else None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
