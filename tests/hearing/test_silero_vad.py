"""Silero without a loudness gate hears quiet speech in time and takes no noise for it."""

import numpy as np
import pytest
from pipecat.audio.vad.vad_analyzer import VADParams, VADState

from processors.silero_vad import MIN_VOLUME, BundledSileroAnalyzer
from speech.errors import EarshotError
from tests.hearing.sounds import (
    RATE_HZ,
    Samples,
    click,
    cough,
    prompt,
    silence,
    speech_at,
    white,
)


def onset_s(audio: Samples, min_volume: float = MIN_VOLUME) -> float | None:
    """Seconds of ``audio`` heard when speech is announced, after a second of silence."""
    vad = BundledSileroAnalyzer(params=VADParams(min_volume=min_volume))
    vad.set_sample_rate(RATE_HZ)
    audio = np.concatenate([silence(1), audio, silence(1)])
    for at in range(0, len(audio) - 511, 512):
        if vad._run_analyzer(audio[at : at + 512].tobytes()) is VADState.SPEAKING:
            return (at + 512) / RATE_HZ - 1
    return None


@pytest.mark.parametrize("name", ["hello-world", "vm-goodbye", "queue-youarenext"])
@pytest.mark.parametrize("dbfs", [-30, -40])
def test_quiet_speech_is_heard_as_early_as_loud(name: str, dbfs: float) -> None:
    loud, quiet = onset_s(speech_at(prompt(name), -20)), onset_s(speech_at(prompt(name), dbfs))
    assert loud is not None
    assert quiet is not None
    assert quiet <= loud + 0.1


def test_why_the_gate_is_off() -> None:
    """The figures that ``MIN_VOLUME`` quotes: pipecat's gate delays speech, then loses it."""
    quiet = onset_s(speech_at(prompt("vm-goodbye"), -40))
    gated = onset_s(speech_at(prompt("vm-goodbye"), -40), min_volume=0.6)
    assert quiet is not None
    assert gated is not None
    assert gated > quiet + 0.2
    assert onset_s(speech_at(prompt("hello-world"), -50), min_volume=0.6) is None
    assert onset_s(speech_at(prompt("hello-world"), -50)) is not None


@pytest.mark.parametrize(
    "noise",
    [silence(2), white(2, -60), white(2, -40), white(2, -20), click(), cough(), cough(-35, seed=5)],
    ids=["silence", "white-60", "white-40", "white-20", "click", "cough", "quiet cough"],
)
def test_noise_raises_no_alarm(noise: Samples) -> None:
    assert onset_s(noise) is None


def test_an_unfit_rate_is_refused_at_start() -> None:
    with pytest.raises(EarshotError, match="cannot work at 44100 Hz"):
        BundledSileroAnalyzer().set_sample_rate(44_100)
