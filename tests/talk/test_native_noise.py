"""Guards: ALSA does not write into the live view."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import require

OPEN_WHAT_IS_NOT_THERE = (
    "import ctypes; alsa = ctypes.CDLL('libasound.so.2');"
    "alsa.snd_pcm_open(ctypes.byref(ctypes.c_void_p()), b'no_such_pcm', 0, 0)"
)
SILENCE = "from bot.native_noise import silence_alsa; silence_alsa(); silence_alsa();"


def said(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], text=True,
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="ALSA is Linux's")
def test_alsa_is_silenced() -> None:
    try:
        ctypes.CDLL("libasound.so.2")
    except OSError:
        require(False, "libasound2")
    assert "no_such_pcm" in said(OPEN_WHAT_IS_NOT_THERE)
    assert said(SILENCE + OPEN_WHAT_IS_NOT_THERE) == ""
