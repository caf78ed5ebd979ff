"""What a human says into the sound card's microphone can be transcribed."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.frames.frames import InputAudioRawFrame

from bench.soundcard.virtual_card import MICROPHONE, VirtualCard
from speech.audio.resample import resample
from speech.audio.wav import read_wav
from speech.models.store import model_dir
from speech.timeline import Timeline
from tests.speech_assets import speech_dir
from tests.support import require
from tests.transports.rig import running
from transports.local import LocalParams, LocalTransport

pytestmark = [pytest.mark.soundcard, pytest.mark.models]

WHISPER_HZ = 16_000


@cache
def _whisper() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(model_dir("whisper-tiny.en")), compute_type="int8", cpu_threads=1)


def _words(samples: NDArray[np.int16]) -> str:
    segments, _ = _whisper().transcribe(samples.astype(np.float32) / 32_768, language="en")
    text = " ".join(segment.text for segment in segments)
    return " ".join(re.findall(r"[a-z']+", text.lower()))


@pytest.fixture
def clip() -> Path:
    path = speech_dir() / "beckett.wav"
    require(path.is_file(), "human speech: python -m tests.speech_assets")
    return path


async def test_it_is_understood_as_well_as_the_file(virtual_card: VirtualCard, clip: Path) -> None:
    transport = LocalTransport(
        LocalParams(input_device=MICROPHONE, audio_out_enabled=False), Timeline()
    )
    async with running(transport) as rig:
        await rig.microphone.until(lambda: len(rig.microphone.of(InputAudioRawFrame)) > 0)
        await asyncio.to_thread(virtual_card.play, clip)
        count = len(rig.microphone.frames)
        await rig.microphone.until(lambda: len(rig.microphone.frames) > count + 25)
        heard = rig.heard_audio()
    samples, rate_hz = read_wav(clip)
    said = await asyncio.to_thread(_words, resample(samples, rate_hz, WHISPER_HZ))
    understood = await asyncio.to_thread(_words, heard)
    print(f"said: {said}\nunderstood: {understood}")
    assert len(said.split()) > 10
    assert jiwer.wer(said, understood) <= 0.2
