"""Records what is audible at a PulseAudio monitor, on the clock ``time.monotonic``."""

from __future__ import annotations

import subprocess
import threading
import time
from typing import IO

import numpy as np
from numpy.typing import NDArray

RECORD_RATE_HZ = 48_000
_CHUNK_BYTES = RECORD_RATE_HZ // 100 * 2
_FIRST_BYTES_TIMEOUT_S = 15.0
_KEPT_BYTES = 600 * RECORD_RATE_HZ * 2
"""Ten minutes, 58 MB; older samples go."""


class MonitorRecorder:
    """``parec`` on a monitor source; sample 0 of ``samples`` was heard at ``started_at``.

    Until its first bytes a null sink does not run, so ``start`` waits for them.
    """

    def __init__(self, source: str, env: dict[str, str]) -> None:
        self.started_at = 0.0
        self._source = source
        self._env = env
        self._data = bytearray()
        self._lock = threading.Lock()
        self._first = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Record afresh; raises RuntimeError when nothing arrives."""
        self._data.clear()
        self._first.clear()
        self._process = subprocess.Popen(
            [
                "parec",
                "-d",
                self._source,
                "--raw",
                "--format=s16le",
                "--channels=1",
                f"--rate={RECORD_RATE_HZ}",
                "--latency-msec=10",
            ],
            env=self._env,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._process.stdout is not None
        self._thread = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._thread.start()
        if not self._first.wait(_FIRST_BYTES_TIMEOUT_S):
            self.stop()
            raise RuntimeError(f"nothing arrives from {self._source}")

    def stop(self) -> None:
        """End the recording; ``samples`` stay readable."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @property
    def samples(self) -> NDArray[np.int16]:
        """All samples so far, 48 kHz mono."""
        with self._lock:
            whole = len(self._data) // 2 * 2
            return np.frombuffer(bytes(self._data[:whole]), dtype=np.int16)

    def between(self, begin: float, end: float) -> NDArray[np.int16]:
        """The samples heard from ``begin`` to ``end`` (``time.monotonic`` seconds)."""
        first = max(0, round((begin - self.started_at) * RECORD_RATE_HZ))
        last = max(0, round((end - self.started_at) * RECORD_RATE_HZ))
        return self.samples[first:last]

    def wait_until(self, moment: float) -> None:
        """Block until everything heard up to ``moment`` is in ``samples``."""
        deadline = moment + _FIRST_BYTES_TIMEOUT_S
        while self.started_at + len(self._data) / 2 / RECORD_RATE_HZ < moment:
            if time.monotonic() > deadline:
                raise RuntimeError(f"nothing arrives from {self._source} any more")
            time.sleep(0.02)  # Its reader thread has no other sign to give.

    def since(self, begin: float) -> NDArray[np.int16]:
        """The samples heard from ``begin`` on."""
        return self.between(begin, time.monotonic() + 1.0)

    def _read(self, stream: IO[bytes]) -> None:
        while piece := stream.read(_CHUNK_BYTES):
            now = time.monotonic()
            with self._lock:
                self._data += piece
                # Pieces arrive late, never early: the earliest implied start is the truest.
                began = now - len(self._data) / 2 / RECORD_RATE_HZ
                self.started_at = min(self.started_at, began) if self._first.is_set() else began
                self._forget(len(self._data) - _KEPT_BYTES)
            self._first.set()

    def _forget(self, surplus: int) -> None:
        if surplus > _KEPT_BYTES // 10:  # Not with every piece: it moves the whole buffer.
            surplus -= surplus % 2
            del self._data[:surplus]
            self.started_at += surplus / 2 / RECORD_RATE_HZ
