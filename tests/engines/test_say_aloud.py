"""``earshot say`` without a file is heard, whole, on the sound card."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from bench.soundcard.recorder import RECORD_RATE_HZ
from bench.soundcard.virtual_card import VirtualCard, missing_programs
from tests.engines.listening import word_error_rate
from tests.engines.registry import kokoro_paths
from tests.support import require

TEXT = "The train to the coast leaves at nine every morning."


@pytest.mark.soundcard
@pytest.mark.models
def test_the_speech_is_heard_to_its_last_word() -> None:
    kokoro_paths()
    require(not missing_programs(), f"not installed: {', '.join(missing_programs())}")
    with VirtualCard() as card:
        done = subprocess.run(
            [sys.executable, "-m", "bot", "say", TEXT],
            env=card.env, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        card.recorder.wait_until(time.monotonic())
        heard = card.recorder.samples
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert word_error_rate(TEXT, heard, RECORD_RATE_HZ) <= 0.2
