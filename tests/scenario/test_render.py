"""A turn becomes samples: recordings at any rate, spoken text, silence, and noise from a seed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.scenario.load import ScenarioError
from bot.scenario.render import check_files, render_turns
from bot.scenario.schema import Noise, Scenario
from bot.scenario.sounds import make_noise
from speech.audio.wav import AudioFileError, write_wav
from speech.engine import PcmChunk, Stamp
from speech.errors import UnknownVoiceError

RATE_HZ = 16_000


class FakeEngine:
    """Speaks every text as half a second of one loud value; knows one voice."""

    name = "fake"
    sample_rate = 24_000

    async def start(self) -> None:
        pass

    def voices(self) -> list[str]:
        return ["am_adam"]

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FakeEngine:
        if voice != "am_adam":
            raise UnknownVoiceError(f"no voice {voice!r}; there is am_adam")
        return self

    async def speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        if text != "...":
            yield PcmChunk(unit_id, 0, np.full(12_000, 5_000, np.int16))

    def cancel(self, unit_id: str) -> None:
        pass

    async def aclose(self) -> None:
        pass


def scenario(folder: Path, *turns: dict[str, Any], **keys: Any) -> Scenario:
    return Scenario.model_validate(
        {"name": "x", "path": folder / "x.yaml", "turns": list(turns)} | keys
    )


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """One second at 8 kHz, loud from 0.25 to 0.75 s."""
    samples = np.zeros(8_000, np.int16)
    samples[2_000:6_000] = np.tile([6_000, -6_000], 2_000)
    path = tmp_path / "a.wav"
    write_wav(path, samples, 8_000)
    return path


async def test_a_recording_is_resampled_and_its_speech_is_found(clip: Path) -> None:
    (turn,) = await render_turns(scenario(clip.parent, {"wav": "a.wav"}), None, RATE_HZ)
    assert len(turn.samples) == pytest.approx(RATE_HZ, abs=10)
    assert turn.speech is not None
    assert turn.speech[0] / RATE_HZ == pytest.approx(0.25, abs=0.01)
    assert turn.speech[1] / RATE_HZ == pytest.approx(0.75, abs=0.01)


async def test_pieces_follow_each_other(clip: Path) -> None:
    pieces = [{"wav": "a.wav"}, {"silence": "0.5 s"}, "hello", {"noise": {"s": 0.25}}]
    (turn,) = await render_turns(scenario(clip.parent, {"user": pieces}), FakeEngine(), RATE_HZ)
    assert len(turn.samples) / RATE_HZ == pytest.approx(1 + 0.5 + 0.5 + 0.25, abs=0.01)
    assert turn.speech is not None
    assert turn.speech[1] / RATE_HZ == pytest.approx(2.0, abs=0.01)


async def test_noise_alone_has_no_speech(tmp_path: Path) -> None:
    (turn,) = await render_turns(
        scenario(tmp_path, {"noise": {"s": 1, "dbfs": -20}}), None, RATE_HZ
    )
    assert turn.speech is None


async def test_gain_makes_a_turn_quieter(clip: Path) -> None:
    (turn,) = await render_turns(
        scenario(clip.parent, {"wav": "a.wav", "gain_db": -20}), None, RATE_HZ
    )
    assert np.abs(turn.samples).max() < 1_500
    assert np.abs(turn.samples).max() > 300


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({"text": "hi", "voice": "nobody"}, "voice: no voice 'nobody'; there is am_adam"),
        ({"text": "..."}, "can be spoken"),
        ({"user": [{"silence": "3 min"}] * 1_000}, "longer than 300 s"),
        ({"wav": "gone.wav"}, r"wav 'gone\.wav' not found"),
    ],
)
async def test_what_cannot_be_played_is_said(
    tmp_path: Path, turn: dict[str, Any], message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        await render_turns(scenario(tmp_path, turn), FakeEngine(), RATE_HZ)


async def test_a_missing_recording_is_spoken_where_the_scenario_allows_it(tmp_path: Path) -> None:
    turn = {"wav": "gone.wav", "text": "hello"}
    said: list[str] = []
    allowed = scenario(tmp_path, turn, missing_audio="speak")
    check_files(allowed)
    (rendered,) = await render_turns(allowed, FakeEngine(), RATE_HZ, warn=said.append)
    assert rendered.speech is not None
    assert "gone.wav" in said[0]
    with pytest.raises(ScenarioError, match="not found"):
        check_files(scenario(tmp_path, turn))


def test_a_recording_longer_than_a_turn_may_be_is_refused_before_the_run(tmp_path: Path) -> None:
    write_wav(tmp_path / "long.wav", np.zeros(301 * 4_000, np.int16), 4_000)
    with pytest.raises(AudioFileError, match=r"long\.wav is 301.0 s long, longer than 300 s"):
        check_files(scenario(tmp_path, {"wav": "long.wav"}))


@pytest.mark.parametrize("content", [b"", b"RIFF", b"not a wav at all, but some text" * 9])
def test_a_broken_recording_is_refused_before_the_run(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.wav").write_bytes(content)
    with pytest.raises(AudioFileError, match=r"bad\.wav"):
        check_files(scenario(tmp_path, {"wav": "bad.wav"}))


@pytest.mark.parametrize("kind", ["white", "cough"])
def test_noise_has_the_level_it_should_have_and_repeats(kind: str) -> None:
    noise = Noise.model_validate({"s": 1, "dbfs": -30, "kind": kind})
    first = make_noise(noise, RATE_HZ, np.random.default_rng(1))
    again = make_noise(noise, RATE_HZ, np.random.default_rng(1))
    level = np.sqrt(np.mean((first / 32_768.0) ** 2))
    assert 20 * np.log10(level) == pytest.approx(-30, abs=0.5)
    assert len(first) == RATE_HZ
    assert (first == again).all()


def test_a_click_is_short_and_peaks_at_its_level() -> None:
    noise = Noise.model_validate({"s": 0.5, "dbfs": -6, "kind": "click"})
    wave = make_noise(noise, RATE_HZ, np.random.default_rng(1))
    assert np.abs(wave).max() / 32_768 == pytest.approx(0.5, abs=0.01)
    assert not wave[RATE_HZ // 100 :].any()
