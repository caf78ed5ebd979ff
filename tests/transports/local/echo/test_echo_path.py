"""A bot's voice that comes back by the room is taken out; the voice of the user is not."""

from __future__ import annotations

import re

import jiwer
import numpy as np
import pytest

from speech.models.store import model_dir
from tests.transports.local.echo.path import (
    NEAR_HZ,
    EchoPath,
    Samples,
    clip,
    converse,
    enhancement_db,
    room,
)
from transports.local.echo import EchoCanceller

PATHS = {
    "60 ms": EchoPath(0.06),
    "120 ms": EchoPath(0.12),
    "60 ms, room": EchoPath(0.06, response=room()),
    "120 ms, room": EchoPath(0.12, response=room(0.5, seed=5)),
}


SAID = (
    "it was the best of times it was the worst of times it was the age of wisdom "
    "it was the age of foolishness"
)
"""The first eight seconds of the reading."""


def _alone(path: EchoPath, speaker_hz: int = 24_000) -> tuple[Samples, Samples, EchoCanceller]:
    bot = np.concatenate([clip("beckett"), clip("beckett")])[: 12 * NEAR_HZ]
    return converse(bot, np.zeros_like(bot), path, speaker_hz)


@pytest.mark.parametrize("name", PATHS)
def test_the_echo_is_taken_out(name: str) -> None:
    heard, clean, canceller = _alone(PATHS[name])
    first, later = (enhancement_db(heard, clean, *span) for span in ((0.5, 3.0), (5.0, 12.0)))
    state = canceller.state
    print(f"{name}: {first:.0f} dB, then {later:.0f} dB; learned {state.enhancement_db:.0f} dB")
    assert first > 12
    assert later > 25
    assert canceller.stats.delay_ms == pytest.approx(PATHS[name].delay_s * 1000, abs=4)
    assert state.return_loss_db == pytest.approx(6.0, abs=6.0)


def test_at_an_odd_rate() -> None:
    heard, clean, _ = _alone(EchoPath(response=room()), 44_100)
    assert enhancement_db(heard, clean, 5.0, 12.0) > 25


def _words(samples: Samples) -> str:
    from faster_whisper import WhisperModel

    model = WhisperModel(str(model_dir("whisper-tiny.en")), compute_type="int8", cpu_threads=1)
    segments, _ = model.transcribe(samples.astype(np.float32) / 32_768, language="en")
    return " ".join(re.findall(r"[a-z']+", " ".join(s.text for s in segments).lower()))


@pytest.mark.models
def test_a_user_over_the_bot_is_understood() -> None:
    """The user as loud as the bot is in the room, whose echo is 6 dB below."""
    bot, reading = clip("beckett"), clip("two_cities")
    bot = np.concatenate([bot, bot])[: 15 * NEAR_HZ]
    user = np.zeros_like(bot)
    user[6 * NEAR_HZ : 14 * NEAR_HZ] = reading[: 8 * NEAR_HZ]
    _, clean, _ = converse(bot, user, EchoPath(response=room()))
    understood = _words(clean[5 * NEAR_HZ : 15 * NEAR_HZ])
    print(f"understood: {understood}")
    assert jiwer.wer(SAID, understood) <= 0.25  # 0.08 as measured; 0.21 without cancelling
