"""Settings become the detector, the turns and the recogniser they name."""

import pytest
from pipecat.audio.turn.smart_turn.base_smart_turn import BaseSmartTurn

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.hearing import (
    build_stt,
    build_turns,
    build_vad,
    open_recogniser,
    user_aggregator_params,
)
from processors.nothing_heard import SilenceTurnStop, SmartTurnStop
from processors.segment_stt import SegmentSttService
from processors.silero_vad import BundledSileroAnalyzer
from processors.smart_turn import SharedSmartTurn
from processors.webrtc_vad import WebRtcVadAnalyzer
from speech.hearing.endpoint import DEFAULT_MODEL, EndpointRecogniser
from speech.hearing.whisper import WhisperRecogniser


def made(**sections: dict[str, object]) -> Settings:
    return Settings.model_validate(sections)


@pytest.mark.parametrize(
    ("kind", "expected"), [("silero", BundledSileroAnalyzer), ("webrtc", WebRtcVadAnalyzer)]
)
def test_the_detector(kind: str, expected: type) -> None:
    vad = build_vad(made(vad={"kind": kind, "start_s": 0.3, "stop_s": 0.25, "confidence": 0.5}))
    assert type(vad) is expected
    assert vad.params.model_dump() == {
        "confidence": 0.5,
        "start_secs": 0.3,
        "stop_secs": 0.25,
        "min_volume": 0.0,
    }


def test_the_end_of_a_turn() -> None:
    assert isinstance((build_turns(made()).stop or [])[0], SmartTurnStop)
    [silence] = build_turns(made(turn={"end": "silence", "silence_s": 0.8})).stop or []
    assert isinstance(silence, SilenceTurnStop)
    # 0.8 s after the speech, of which the detector has waited 0.2 s.
    assert silence._user_speech_timeout == pytest.approx(0.6)


def test_the_aggregator() -> None:
    params = user_aggregator_params(made(turn={"max_wait_s": 7}))
    assert params.user_turn_stop_timeout == 7
    assert params.empty_user_turn is None
    assert isinstance(params.vad_analyzer, BundledSileroAnalyzer)


def test_each_conversation_has_its_own_audio() -> None:
    first, second = SharedSmartTurn(), SharedSmartTurn()
    for analyzer in (first, second):
        analyzer.set_sample_rate(16_000)
    first.append_audio(b"\x01\x00" * 320, is_speech=True)
    assert isinstance(first, BaseSmartTurn)
    assert first.speech_triggered
    assert not second.speech_triggered


async def test_a_remote_recogniser_is_not_opened() -> None:
    settings = made(stt={"kind": "openai"}, turn={"end": "silence"})
    assert await open_recogniser(settings) is None
    stt = build_stt(settings, Secrets({"OPENAI_API_KEY": "k"}), None)
    assert isinstance(stt, SegmentSttService)
    assert isinstance(stt._recogniser, EndpointRecogniser)
    assert stt._recogniser.name == DEFAULT_MODEL
    await stt._recogniser.aclose()


@pytest.mark.models
async def test_the_local_recogniser_is_open_and_warm(whisper_dir: object) -> None:
    recogniser = await open_recogniser(made())
    assert isinstance(recogniser, WhisperRecogniser)
    assert recogniser._decoder is not None
    await recogniser.aclose()
