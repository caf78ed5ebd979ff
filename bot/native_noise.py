"""Native libraries that write to the terminal behind Python's back."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from loguru import logger

STDERR = 2
MAX_LINE_BYTES = 1_000
"""Longer lines come in pieces."""


@contextmanager
def native_noise_logged() -> Iterator[None]:
    """In this block what C code prints on standard error goes to the log, at DEBUG.

    PortAudio and ALSA print a dozen lines when a device is unplugged, in the middle of the live
    view. What Python writes to ``sys.stderr`` still goes where it went. Does nothing where
    Python's is not the process's standard error, as under a test runner.
    """
    real = sys.stderr
    if not _is_native(real):
        yield
        return
    real.flush()
    kept = os.dup(STDERR)
    reading, writing = os.pipe()
    os.dup2(writing, STDERR)
    os.close(writing)
    reader = threading.Thread(target=_log, args=(reading,), name="native-noise", daemon=True)
    reader.start()
    sys.stderr = io.TextIOWrapper(
        os.fdopen(kept, "wb", 0), real.encoding, real.errors, write_through=True
    )
    try:
        yield
    finally:
        ours, sys.stderr = sys.stderr, real
        ours.flush()
        os.dup2(kept, STDERR)  # also closes the pipe, which ends the reader
        ours.close()


def _is_native(stream: object) -> bool:
    try:
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == STDERR
    except (OSError, ValueError):  # closed, or no file
        return False


def _log(reading: int) -> None:
    with os.fdopen(reading, "rb") as lines:
        while line := lines.readline(MAX_LINE_BYTES):
            if text := line.decode(errors="replace").strip():
                logger.debug("native library: {}", text)
