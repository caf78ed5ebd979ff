"""The ears of a conversation: voice detector, turns, speech to text, from the settings."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from pipecat.audio.turn.smart_turn.base_smart_turn import SmartTurnParams
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.turns.user_start import (
    BaseUserTurnStartStrategy,
    TranscriptionUserTurnStartStrategy,
    VADUserTurnStartStrategy,
    WakePhraseUserTurnStartStrategy,
)
from pipecat.turns.user_turn_strategies import UserTurnStrategies

from bot.barge_in import PIPECAT, PUSH_TO_TALK
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from processors import silero_vad, webrtc_vad
from processors.noise_recovery import NoiseRecovery
from processors.nothing_heard import EndsOnNothingHeard, SilenceTurnStop, SmartTurnStop
from processors.segment_stt import SegmentSttService
from processors.silero_vad import BundledSileroAnalyzer
from processors.smart_turn import SharedSmartTurn, smart_turn_model
from processors.turn_patience import TalkKey
from processors.webrtc_vad import WebRtcVadAnalyzer
from speech.hearing.endpoint import DEFAULT_MODEL, EndpointRecogniser
from speech.hearing.recogniser import Recogniser
from speech.hearing.whisper import WhisperRecogniser
from speech.models.store import model_dir
from speech.queues import Queues
from speech.turns.patience import Patience

UNFINISHED_SILENCE_S = 3.0
"""Silence that ends a turn which the turn model takes for unfinished; Smart Turn's own value."""

LOCAL_MODEL = "whisper-tiny.en"


async def open_recogniser(settings: Settings) -> Recogniser | None:
    """The local recogniser, loaded and warm; None where transcription is remote.

    Also loads and warms the turn model and the number words, so that no conversation does it on
    the event loop. Raises ``ModelFileError`` if the model is not installed.
    """
    await asyncio.to_thread(Patience, settings.stt.language)
    if settings.turn.end == "smart":
        await asyncio.to_thread(smart_turn_model)
    stt = settings.stt
    if stt.kind != "whisper":
        return None
    folder = await asyncio.to_thread(model_dir, stt.model, settings.models.dir)
    recogniser = WhisperRecogniser(
        folder,
        threads=stt.threads,
        max_concurrent=max(1, (os.cpu_count() or 1) // stt.threads),
        timeout_s=stt.timeout_s,
        language=stt.language,
    )
    await recogniser.start()
    return recogniser


def build_stt(
    settings: Settings,
    secrets: Secrets,
    recogniser: Recogniser | None,
    queues: Queues | None = None,
) -> FrameProcessor:
    """One conversation's speech to text: the shared recogniser, or else the endpoint."""
    stt = settings.stt
    return SegmentSttService(
        recogniser or _endpoint(settings, secrets),
        owns_recogniser=recogniser is None,
        language=stt.language,
        longest_s=stt.timeout_s,
        queues=queues,
    )


def _endpoint(settings: Settings, secrets: Secrets) -> Recogniser:
    stt = settings.stt
    key = secrets.get("EARSHOT_STT_API_KEY") or secrets.get("OPENAI_API_KEY")
    return EndpointRecogniser(
        api_key=key,
        base_url=stt.base_url,
        model=DEFAULT_MODEL if stt.model == LOCAL_MODEL else stt.model,
        language=stt.language,
        timeout_s=stt.timeout_s,
    )


def build_vad(settings: Settings, heard: Callable[[float], None] | None = None) -> VADAnalyzer:
    """One conversation's voice detector. An unfit sample rate is refused when it starts."""
    vad = settings.vad
    params = VADParams(confidence=vad.confidence, start_secs=vad.start_s, stop_secs=vad.stop_s)
    if vad.kind == "webrtc":
        return WebRtcVadAnalyzer(
            aggressiveness=vad.webrtc_aggressiveness,
            params=params.model_copy(update={"min_volume": webrtc_vad.MIN_VOLUME}),
            heard=heard,
        )
    return BundledSileroAnalyzer(
        params=params.model_copy(update={"min_volume": silero_vad.MIN_VOLUME}), heard=heard
    )


def build_turns(
    settings: Settings, asked: Callable[[], str] = str, key: TalkKey | None = None
) -> UserTurnStrategies:
    """When the user's turn begins (whether that interrupts is the barge-in policy's business)
    and when it ends.

    ``asked`` gives what the bot said last. ``key`` is heeded by push to talk alone: elsewhere a
    switch that was forgotten must not keep the turn.
    """
    interrupts = settings.barge_in.policy == PIPECAT
    start: list[BaseUserTurnStartStrategy] = [
        *_wake(settings),
        VADUserTurnStartStrategy(enable_interruptions=interrupts),
        TranscriptionUserTurnStartStrategy(enable_interruptions=interrupts),
    ]
    held = key if settings.barge_in.policy == PUSH_TO_TALK else None
    return UserTurnStrategies(start=start, stop=[_turn_stop(settings, asked, held)])


def _wake(settings: Settings) -> list[BaseUserTurnStartStrategy]:
    """What comes before every other start: deaf until a wake phrase is heard."""
    turn = settings.turn
    # pipecat takes the punctuation out of what it hears, but not out of the phrases.
    phrases = [re.sub(r"[^\w\s]", "", phrase) for phrase in turn.wake_phrases]
    if not phrases:
        return []
    return [
        WakePhraseUserTurnStartStrategy(
            phrases=phrases,
            timeout=turn.wake_timeout_s,
            enable_interruptions=settings.barge_in.policy != "never",
        )
    ]


def _turn_stop(
    settings: Settings, asked: Callable[[], str], key: TalkKey | None
) -> EndsOnNothingHeard:
    turn = settings.turn
    patience = Patience(settings.stt.language, min(turn.patience_s, turn.max_wait_s))
    if turn.end == "silence":
        # The silence is counted from the end of speech, of which the detector has waited
        # for its share already.
        silence_s = max(0.0, turn.silence_s - settings.vad.stop_s)
        return SilenceTurnStop(
            user_speech_timeout=silence_s, patience=patience, asked=asked, key=key
        )
    unfinished = min(UNFINISHED_SILENCE_S, turn.max_wait_s)
    analyzer = SharedSmartTurn(params=SmartTurnParams(stop_secs=unfinished))
    return SmartTurnStop(turn_analyzer=analyzer, patience=patience, asked=asked, key=key)


def user_aggregator_params(
    settings: Settings,
    vad: VADAnalyzer | None = None,
    context: LLMContext | None = None,
    heard: Callable[[float], None] | None = None,
    key: TalkKey | None = None,
) -> LLMUserAggregatorParams:
    """Everything pipecat's user aggregator is told. ``context`` has what the bot said last;
    ``heard`` gets each frame's probability of speech, in the detector's thread.

    ``empty_user_turn`` is off: pipecat would ask the user to repeat what was only a cough.
    ``recover_from_noise`` takes its place.
    """
    asked = partial(last_said, context) if context is not None else str
    return LLMUserAggregatorParams(
        vad_analyzer=vad or build_vad(settings, heard),
        user_turn_strategies=build_turns(settings, asked, key),
        user_turn_stop_timeout=settings.turn.max_wait_s,
        empty_user_turn=None,
    )


def last_said(context: LLMContext) -> str:
    """What the bot said last, as it was heard; empty where the user has spoken since."""
    messages = context.get_messages()
    last = cast("dict[str, Any]", messages[-1]) if messages else {}
    content = last.get("content")
    return content if last.get("role") == "assistant" and isinstance(content, str) else ""


def recover_from_noise(
    settings: Settings, aggregators: LLMContextAggregatorPair, context: LLMContext
) -> NoiseRecovery:
    """Answer after all what a noise cut off; apologise for words the recogniser lost."""
    return NoiseRecovery(
        aggregators,
        context,
        apology=settings.bot.apology,
        interruptions=settings.barge_in.policy == PIPECAT,
    )
