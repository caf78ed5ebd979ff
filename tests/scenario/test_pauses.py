"""No scenario's turn count depends on how fast the recogniser is: no inner pause ends a turn.

After an inner pause the turn ends early only if the words are there before speech goes on,
so a slow machine would hide it. Here the words are taken to be there at once.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.audio.turn.base_turn_analyzer import BaseTurnAnalyzer, EndOfTurnState
from pipecat.audio.turn.smart_turn.base_smart_turn import SmartTurnParams
from pipecat.audio.vad.vad_analyzer import VADState

from bot.config.schema import Settings
from bot.hearing import UNFINISHED_SILENCE_S, build_vad
from bot.scenario.load import load_scenario
from bot.scenario.overrides import expected_settings
from bot.scenario.render import render_turns
from bot.voice import build_voice
from processors.smart_turn import SharedSmartTurn
from speech.audio.resample import resample
from speech.audio.wav import read_wav
from speech.errors import ModelFileError
from speech.models.store import model_dir
from tests.speech_assets import ASTERISK
from tests.support import require

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.yaml"))
DEMO = ROOT / "bot" / "demo" / "demo.yaml"
FRAME_S = 0.02
LEAD_S = 0.5
TAIL_S = 1.0


class Ears:
    """The bot's detector and turn model, fed in step; notes when a turn could have ended."""

    def __init__(self, settings: Settings) -> None:
        self._rate_hz = settings.audio.input_rate_hz
        self._vad = build_vad(settings)
        self._vad.set_sample_rate(self._rate_hz)
        turn = settings.turn
        self._model: BaseTurnAnalyzer | None = None
        if turn.end == "smart":
            wait_s = min(UNFINISHED_SILENCE_S, turn.max_wait_s)
            self._model = SharedSmartTurn(params=SmartTurnParams(stop_secs=wait_s))
            self._model.set_sample_rate(self._rate_hz)
        self._silence_s = max(0.0, turn.silence_s - settings.vad.stop_s)
        self._speaking = False
        self._stopped_at = float("inf")
        self.starts: list[float] = []
        self.ends: list[float] = []

    async def hear(self, samples: NDArray[np.int16]) -> None:
        size = round(FRAME_S * self._rate_hz)
        for begin in range(0, len(samples) - size + 1, size):
            now = (begin + size) / self._rate_hz - LEAD_S
            await self._frame(samples[begin : begin + size].tobytes(), now)
        if self._model is not None:
            await self._model.cleanup()

    async def _frame(self, frame: bytes, now: float) -> None:
        state = await self._vad.analyze_audio(frame)
        stopped = self._speaking and state is VADState.QUIET
        if not self._speaking and state is VADState.SPEAKING:
            self.starts.append(now)
            self._stopped_at = float("inf")
        if state in (VADState.SPEAKING, VADState.QUIET):
            self._speaking = state is VADState.SPEAKING
        if stopped:
            self._stopped_at = now
        if await self._ended(frame, now, stopped):
            self.ends.append(now)
            self._stopped_at = float("inf")

    async def _ended(self, frame: bytes, now: float, stopped: bool) -> bool:
        if self._model is None:
            return now - self._stopped_at >= self._silence_s
        if self._model.append_audio(frame, self._speaking) is EndOfTurnState.COMPLETE:
            return True
        return stopped and (await self._model.analyze_end_of_turn())[0] is EndOfTurnState.COMPLETE


async def early_ends(samples: NDArray[np.int16], settings: Settings) -> list[float]:
    """Seconds at which the turn could have ended before its last stretch of speech."""
    ears = Ears(settings)
    lead, tail = (
        np.zeros(round(s * settings.audio.input_rate_hz), np.int16) for s in (LEAD_S, TAIL_S)
    )
    await ears.hear(np.concatenate([lead, samples, tail]))
    last = max(ears.starts, default=0.0)
    return [round(at, 2) for at in ears.ends if at < last]


@pytest.mark.models
@pytest.mark.parametrize("path", [*SCENARIOS, DEMO], ids=lambda path: path.stem)
async def test_no_pause_within_a_turn_ends_it(path: Path) -> None:
    require(ASTERISK.is_dir(), "human speech: apt-get install asterisk-core-sounds-en-wav")
    scenario = load_scenario(path)
    settings = expected_settings(scenario, Settings())
    engine = None
    if any(piece.text and not piece.wav for turn in scenario.turns for piece in turn.user):
        try:
            for name in ("kokoro-82m-int8", "kokoro-voices"):
                model_dir(name)
        except ModelFileError as error:
            require(False, str(error))
        engine = build_voice(settings)
    try:
        clips = await render_turns(scenario, engine, settings.audio.input_rate_hz)
    finally:
        if engine is not None:
            await engine.aclose()
    found = {n: await early_ends(clip.samples, settings) for n, clip in enumerate(clips, 1)}
    assert not any(found.values()), found


@pytest.mark.parametrize(("end", "early"), [("smart", True), ("silence", False)])
async def test_a_pause_that_can_end_a_turn_is_found(end: str, early: bool) -> None:
    """At the sound of the tone (0.4 s) the time will be exactly: once two turns in CI."""
    clip = ASTERISK / "at-tone-time-exactly.wav"
    require(clip.is_file(), "human speech: apt-get install asterisk-core-sounds-en-wav")
    settings = Settings.model_validate({"turn": {"end": end}})
    samples = resample(*read_wav(clip), settings.audio.input_rate_hz)
    assert bool(await early_ends(samples, settings)) is early
