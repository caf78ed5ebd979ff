"""A turn's pieces as the samples the user's side sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.scenario.load import ScenarioError, find_file, line_saying
from bot.scenario.schema import MAX_TURN_S, Piece, Scenario, Turn
from bot.scenario.sounds import make_noise
from speech.audio.pcm import float_to_int16, int16_to_float
from speech.audio.resample import resample
from speech.audio.wav import read_wav
from speech.engine import SpeechEngine
from speech.errors import UnknownVoiceError

SPEECH_FLOOR = 328
"""-40 dBFS: recorded speech has room noise below it, and starts and ends above it."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A turn's samples, and where in them speech begins and ends (None without speech)."""

    samples: NDArray[np.int16]
    speech: tuple[int, int] | None


async def render_turns(
    scenario: Scenario,
    engine: SpeechEngine | None,
    rate_hz: int,
    *,
    warn: Callable[[str], None] | None = None,
) -> list[Rendered]:
    """Every turn's audio, before anything runs, so that it costs the conversation nothing.

    ``engine`` speaks the texts; None refuses them. Raises ``ScenarioError`` or
    ``AudioFileError``.
    """
    random = np.random.default_rng(scenario.seed)
    return [await _turn(scenario, turn, engine, rate_hz, random, warn) for turn in scenario.turns]


def check_files(scenario: Scenario) -> None:
    """Raise for a sound file that is missing or cannot be read, before models are loaded."""
    for turn in scenario.turns:
        for piece in turn.user:
            if path := _recording(scenario, piece, None):
                read_wav(path, longest_s=MAX_TURN_S)


async def _turn(
    scenario: Scenario,
    turn: Turn,
    engine: SpeechEngine | None,
    rate_hz: int,
    random: np.random.Generator,
    warn: Callable[[str], None] | None,
) -> Rendered:
    parts: list[NDArray[np.int16]] = []
    bounds: list[int] = []
    position = 0
    for piece in turn.user:
        voice = piece.voice or turn.voice or scenario.voice
        samples = await _piece(scenario, piece, voice, engine, rate_hz, random, warn)
        samples = _amplified(samples, turn.gain_db)
        if piece.is_speech and (span := _speech_span(samples)):
            bounds += [position + span[0], position + span[1]]
        parts.append(samples)
        position += len(samples)
        if position > MAX_TURN_S * rate_hz:
            raise ScenarioError(f"{scenario.path}: a turn is longer than {MAX_TURN_S:.0f} s")
    return Rendered(np.concatenate(parts), (bounds[0], bounds[-1]) if bounds else None)


async def _piece(
    scenario: Scenario,
    piece: Piece,
    voice: str,
    engine: SpeechEngine | None,
    rate_hz: int,
    random: np.random.Generator,
    warn: Callable[[str], None] | None,
) -> NDArray[np.int16]:
    if path := _recording(scenario, piece, warn):
        samples, file_rate = read_wav(path, warn=warn, longest_s=MAX_TURN_S)
        return resample(samples, file_rate, rate_hz)
    if piece.noise is not None:
        return make_noise(piece.noise, rate_hz, random)
    if piece.text is not None:
        return await _spoken(scenario, piece.text, voice, engine, rate_hz)
    return np.zeros(round((piece.silence or 0.0) * rate_hz), np.int16)


def _recording(scenario: Scenario, piece: Piece, warn: Callable[[str], None] | None) -> Path | None:
    """The piece's sound file; None where there is none and its text is spoken instead."""
    if piece.wav is None:
        return None
    try:
        return find_file(piece.wav, scenario, "wav")
    except ScenarioError as error:
        if scenario.missing_audio != "speak" or piece.text is None:
            raise
        if warn is not None:
            warn(f"{error}; a voice speaks its text instead (missing_audio: speak)")
        return None


async def _spoken(
    scenario: Scenario, text: str, voice: str, engine: SpeechEngine | None, rate_hz: int
) -> NDArray[np.int16]:
    if engine is None:
        raise ScenarioError(f"{scenario.path}: no speech engine to speak {text!r}")
    try:
        session = await engine.open(voice)
    except UnknownVoiceError as error:
        raise ScenarioError(f"{line_saying(scenario.path, voice)}: voice: {error}") from error
    try:
        chunks = [chunk.samples async for chunk in session.speak("user", text)]
    finally:
        await session.aclose()
    if not chunks:
        raise ScenarioError(
            f"{line_saying(scenario.path, text)}: nothing in {text!r} can be spoken"
        )
    return resample(np.concatenate(chunks), engine.sample_rate, rate_hz)


def _amplified(samples: NDArray[np.int16], gain_db: float) -> NDArray[np.int16]:
    return float_to_int16(int16_to_float(samples) * 10 ** (gain_db / 20)) if gain_db else samples


def _speech_span(samples: NDArray[np.int16]) -> tuple[int, int] | None:
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > SPEECH_FLOOR)
    return (int(loud[0]), int(loud[-1])) if len(loud) else None
