"""The WebRTC detector takes any frame size and rate, and never fails into silence (D10)."""

import numpy as np
import pytest
from pipecat.audio.vad.vad_analyzer import VADParams, VADState

from processors.webrtc_vad import MIN_VOLUME, WebRtcVadAnalyzer
from speech.errors import EarshotError
from tests.hearing.sounds import Samples, click, prompt, silence, speech_at, white

RATES = [8_000, 16_000, 32_000, 48_000]
SIZES = [160, 400, 480, 512, 1024, 7]


def analyzer(rate: int = 16_000, **params: float) -> WebRtcVadAnalyzer:
    made = WebRtcVadAnalyzer(params=VADParams(min_volume=MIN_VOLUME, **params))
    made.set_sample_rate(rate)
    return made


def speech_borders(vad: WebRtcVadAnalyzer, audio: Samples, size: int) -> list[tuple[str, float]]:
    """("start"|"stop", seconds of audio heard when it was announced)."""
    borders, speaking = [], False
    for at in range(0, len(audio) - size + 1, size):
        state = vad._run_analyzer(audio[at : at + size].tobytes())
        now = state in (VADState.SPEAKING, VADState.STOPPING)
        if now != speaking:
            speaking = now
            borders.append(("start" if now else "stop", (at + size) / vad.sample_rate))
    return borders


def talk(rate: int) -> Samples:
    """One second of silence, a human prompt of three seconds, one second of silence."""
    return np.concatenate([silence(1, rate), prompt("tt-weasels", rate), silence(1, rate)])


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", SIZES)
def test_any_frame_size_gives_the_same_decision(rate: int, size: int) -> None:
    expected = speech_borders(analyzer(rate), talk(rate), rate // 50)
    borders = speech_borders(analyzer(rate), talk(rate), size)
    assert [kind for kind, _ in borders] == [kind for kind, _ in expected]
    for (_, at), (_, wanted) in zip(borders, expected, strict=True):
        # Announced by the frame that completes the window: one frame later at most.
        assert wanted - 0.001 <= at <= wanted + size / rate + 0.02


def test_every_rate_gives_the_same_decision() -> None:
    all_borders = [speech_borders(analyzer(rate), talk(rate), rate // 50) for rate in RATES]
    first = all_borders[0]
    for borders in all_borders[1:]:
        assert [kind for kind, _ in borders] == [kind for kind, _ in first]
        for (_, at), (_, wanted) in zip(borders, first, strict=True):
            assert at == pytest.approx(wanted, abs=0.081)


def test_speech_like_noise_is_voice_in_every_size() -> None:
    for size in SIZES:
        assert speech_borders(analyzer(), white(2, -10), size)[0][0] == "start"


@pytest.mark.parametrize("rate", [44_100, 22_050, 24_000, 11_025])
def test_an_unfit_rate_is_refused_at_start(rate: int) -> None:
    with pytest.raises(EarshotError, match=f"cannot work at {rate} Hz.*16000"):
        WebRtcVadAnalyzer().set_sample_rate(rate)


class FakeBrokenDetector:
    def is_speech(self, _buffer: bytes, _rate: int) -> bool:
        raise ValueError("error while processing frame")


def test_a_failing_detector_is_an_error_not_silence() -> None:
    vad = analyzer()
    speech_borders(vad, prompt("tt-weasels")[:16_000], 320)
    before = vad._vad_state
    vad._detector = FakeBrokenDetector()
    with pytest.raises(EarshotError, match="failed on 640 bytes"):
        vad._run_analyzer(silence(0.02).tobytes())
    assert vad._vad_state is before


@pytest.mark.parametrize("dbfs", [-20, -30, -40])
def test_quiet_speech_is_heard_once(dbfs: float) -> None:
    audio = np.concatenate([silence(1), speech_at(prompt("vm-dialout"), dbfs), silence(1)])
    borders = speech_borders(analyzer(), audio, 320)
    assert [kind for kind, _ in borders] == ["start", "stop"]


def test_the_latency_is_the_configured_one() -> None:
    """The smoother's own latency is taken out of the start and stop times."""
    burst = np.concatenate([silence(1), white(1, -10), silence(1)])
    raw = analyzer(start_secs=0.0, stop_secs=0.0)
    (_, onset), (_, release) = speech_borders(raw, burst, 320)
    slow = analyzer(start_secs=0.3, stop_secs=0.4)
    (_, late_onset), (_, late_release) = speech_borders(slow, burst, 320)
    assert late_onset - onset == pytest.approx(0.3 - 0.14, abs=0.03)
    assert late_release - release == pytest.approx(0.4 - 0.14, abs=0.03)
    assert slow.params.start_secs == 0.3


def test_clicks_and_a_quiet_room_raise_no_alarm() -> None:
    clicks = np.concatenate([np.concatenate([click(), silence(0.3)]) for _ in range(6)])
    assert speech_borders(analyzer(), clicks, 320) == []
    assert speech_borders(analyzer(), silence(3), 320) == []


class FakeFlickeringDetector:
    """Misses every third window of speech."""

    def __init__(self) -> None:
        self.windows = 0

    def is_speech(self, _buffer: bytes, _rate: int) -> bool:
        self.windows += 1
        return self.windows % 3 != 0


def test_a_flickering_detector_does_not_restart_the_start() -> None:
    vad = analyzer()
    vad._detector = FakeFlickeringDetector()
    borders = speech_borders(vad, silence(3), 320)
    assert [kind for kind, _ in borders] == ["start"]
    assert borders[0][1] <= 0.3
