"""A process tells its own memory, not that of the one that started it."""

from __future__ import annotations

import subprocess
import sys

from speech.memory import peak_mb, resident_mb

CHILD = "from speech.memory import peak_mb; print(peak_mb())"


def test_the_peak_is_no_less_than_what_is_taken_now() -> None:
    assert 0 < resident_mb() <= peak_mb() + 1


def test_a_childs_peak_is_its_own() -> None:
    ballast = bytearray(400_000_000)
    ballast[::4096] = b"x" * len(ballast[::4096])
    printed = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, check=True)
    assert float(printed.stdout) < 200 < len(ballast) / 1e6 < peak_mb()
