"""Records what is audible at a PulseAudio monitor, on the clock ``time.monotonic``."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import deque
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

RECORD_RATE_HZ = 48_000
_CHUNK_S = 0.01
_FIRST_BYTES_TIMEOUT_S = 15.0
_KEPT_S = 600
"""Ten minutes, 58 MB at 48 kHz; older samples go."""
PROMPT = ("nice", "-n", "-11")
"""PulseAudio's own; where it is not allowed, the program runs all the same."""

_CLOCK_S = 10.0
"""Pieces of so long tell the clock of a stretch: among a thousand some come at once."""


class Stretch(NamedTuple):
    """Samples of which the first was heard at ``begins_at`` (``time.monotonic``).

    ``drift_s``: how much later the pieces around here came than the earliest ever. Above some
    milliseconds samples were lost on the way, or the machine was too busy to read in time.
    """

    samples: NDArray[np.int16]
    begins_at: float
    drift_s: float


class MonitorRecorder:
    """``parec`` on a monitor source; sample 0 of ``samples`` was heard at ``started_at``.

    Until its first bytes a null sink does not run, so ``start`` waits for them.

    How true its clock is: a sample cannot arrive before the sink has rendered it, and a null
    sink renders at most its block (10 ms, the latency asked for here) before the moment that
    a sound card would play it. So a moment is at most 10 ms early, and late by no more than
    the fastest delivery of a piece, of which there are a hundred a second (about 1 ms).
    """

    def __init__(
        self,
        source: str,
        env: dict[str, str],
        rate_hz: int = RECORD_RATE_HZ,
        *,
        prompt: bool = False,
    ) -> None:
        self._prompt = prompt
        self.started_at = 0.0
        self.rate_hz = rate_hz
        self._arrivals: deque[tuple[float, float]] = deque(maxlen=60_000)
        self._forgotten = 0
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
        self._arrivals.clear()
        self._forgotten = 0
        self._first.clear()
        self._process = subprocess.Popen(
            [
                *(PROMPT if self._prompt else ()),
                "parec",
                "-d",
                self._source,
                "--raw",
                "--format=s16le",
                "--channels=1",
                f"--rate={self.rate_hz}",
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
        """All samples so far, mono."""
        with self._lock:
            whole = len(self._data) // 2 * 2
            return np.frombuffer(bytes(self._data[:whole]), dtype=np.int16)

    def between(self, begin: float, end: float) -> NDArray[np.int16]:
        """The samples heard from ``begin`` to ``end`` (``time.monotonic`` seconds)."""
        return self._slice(begin - self.started_at, end - self.started_at)

    def stretch(self, begin: float, end: float) -> Stretch:
        """The same, by the clock of the pieces that arrived around then."""
        with self._lock:
            near = [
                implied
                for arrived, implied in self._arrivals
                if begin - _CLOCK_S / 2 <= arrived <= end + _CLOCK_S / 2
            ]
            started = min(near, default=self.started_at - self._forgotten / self.rate_hz)
            started += self._forgotten / self.rate_hz
        samples = self._slice(begin - started, end - started)
        first = max(0, round((begin - started) * self.rate_hz))
        return Stretch(samples, started + first / self.rate_hz, started - self.started_at)

    def _slice(self, begin_s: float, end_s: float) -> NDArray[np.int16]:
        first = max(0, round(begin_s * self.rate_hz))
        last = max(0, round(end_s * self.rate_hz))
        with self._lock:
            last = min(last, len(self._data) // 2)
            return np.frombuffer(bytes(self._data[2 * first : 2 * last]), dtype=np.int16)

    def wait_until(self, moment: float) -> None:
        """Block until everything heard up to ``moment`` is in ``samples``."""
        deadline = moment + _FIRST_BYTES_TIMEOUT_S
        while self.started_at + len(self._data) / 2 / self.rate_hz < moment:
            if time.monotonic() > deadline:
                raise RuntimeError(f"nothing arrives from {self._source} any more")
            time.sleep(0.02)  # Its reader thread has no other sign to give.

    def since(self, begin: float) -> NDArray[np.int16]:
        """The samples heard from ``begin`` on."""
        return self.between(begin, time.monotonic() + 1.0)

    def _read(self, stream: IO[bytes]) -> None:
        while piece := stream.read(round(_CHUNK_S * self.rate_hz) * 2):
            now = time.monotonic()
            with self._lock:
                self._data += piece
                # Pieces arrive late, never early: the earliest implied start is the truest.
                began = now - len(self._data) / 2 / self.rate_hz
                self.started_at = min(self.started_at, began) if self._first.is_set() else began
                self._arrivals.append((now, began - self._forgotten / self.rate_hz))
                self._forget(len(self._data) - 2 * _KEPT_S * self.rate_hz)
            self._first.set()

    def _forget(self, surplus: int) -> None:
        if (
            surplus > _KEPT_S * self.rate_hz // 5
        ):  # Not with every piece: it moves the whole buffer.
            surplus -= surplus % 2
            del self._data[:surplus]
            self._forgotten += surplus // 2
            self.started_at += surplus / 2 / self.rate_hz
