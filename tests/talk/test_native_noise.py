"""Guards: native libraries do not write into the live view, and we still can."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.native_noise import native_noise_logged
from tests.support import require

PROLOGUE = """
import ctypes, os, sys
from loguru import logger
from bot.native_noise import native_noise_logged
logger.remove()
logger.add(lambda line: sys.stdout.write(line), format="{level} {message}")
def noise(): os.write(2, b"Expression 'ret' failed in pa_linux_alsa.c\\n")
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROLOGUE + code], cwd=Path(__file__).parents[2], text=True,
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip


def test_what_c_code_prints_goes_to_the_log_and_what_we_print_does_not() -> None:
    done = run("""
with native_noise_logged():
    print("ours", file=sys.stderr)
    noise()
    os.write(2, b"cut off")
noise()
print("after", file=sys.stderr)
import threading
[t.join() for t in threading.enumerate() if t.name == "native-noise"]
""")
    after = "Expression 'ret' failed in pa_linux_alsa.c\nafter\n"
    assert done.stderr == "ours\n" + after
    logged = "DEBUG native library: "
    assert done.stdout == f"{logged}Expression 'ret' failed in pa_linux_alsa.c\n{logged}cut off\n"


def test_it_ends_with_an_error_too_and_can_be_used_again() -> None:
    done = run("""
for _ in range(3):
    try:
        with native_noise_logged():
            raise OSError("gone")
    except OSError as error:
        print(error, file=sys.stderr)
""")
    assert done.stderr == "gone\n" * 3


@pytest.mark.skipif(sys.platform != "linux", reason="ALSA is Linux's")
def test_alsa_is_silenced() -> None:
    try:
        ctypes.CDLL("libasound.so.2")
    except OSError:
        require(False, "libasound2")
    done = run("""
alsa = ctypes.CDLL("libasound.so.2")
with native_noise_logged():
    alsa.snd_pcm_open(ctypes.byref(ctypes.c_void_p()), b"no_such_pcm", 0, 0)
""")
    assert done.stderr == ""


def test_a_replaced_standard_error_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with native_noise_logged():
        print("ours", file=sys.stderr)
    assert capsys.readouterr().err == "ours\n"
    if before:
        assert len(os.listdir("/proc/self/fd")) == before
