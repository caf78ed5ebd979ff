"""Event names a scenario may use: the timeline's own and pipecat's evals'."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from speech.timeline import NAMES

PIPECAT = {
    "user_started_speaking": "user_started",
    "user_stopped_speaking": "user_stopped",
    "vad_user_started_speaking": "user_onset",
    "vad_user_stopped_speaking": "user_speech_end",
    "user_transcription": "user_text",
    "bot_started_speaking": "bot_started",
    "bot_stopped_speaking": "bot_stopped",
    "llm_started": "llm_request",
    "llm_response": "bot_text",
    "tts_response": "heard_text",
    "function_call": "tool_call",
    "function_call_stopped": "tool_result",
}
"""pipecat's name, and the timeline's for the same thing."""

RESPONSE = "response"
"""What a second pair of ears understands of the bot's recorded side, as in pipecat."""

FILLER_TIMES = frozenset({"filler_audible", "substance"})
"""Of a turn, for ``from`` and ``to`` (``bot.scenario.fillers``)."""

READY = "ready"
"""The pipeline takes audio: the recording's moment 0."""

PREVIOUS = "previous"
"""The end of the previous turn's audio."""

AFTERWARDS = frozenset({"audible", "silent"})
"""Known only from the finished recording, so nothing can be started by them."""

TEXT_EVENTS = frozenset({"user_text", "bot_text", "heard_text", "error", RESPONSE})


def nearest(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where one of ``known`` is close, else the list of them."""
    choices = sorted(known)
    close = difflib.get_close_matches(word, choices, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; expected one of {', '.join(choices)}"


def expected_name(name: str) -> str:
    """The timeline's name for what an expectation calls ``name``; raises ``ValueError``."""
    plain = PIPECAT.get(name, name)
    if plain not in NAMES | FILLER_TIMES | {RESPONSE}:
        raise ValueError(f"unknown event {name!r}{nearest(name, {*NAMES, *PIPECAT, RESPONSE})}")
    return plain


def live_name(name: str) -> str:
    """As ``expected_name``, for events a turn can wait for while the scenario runs."""
    plain = PIPECAT.get(name, name)
    if plain in AFTERWARDS:
        raise ValueError(f"{name!r} is measured after the run; wait for 'scheduled' instead")
    live = (NAMES | {READY, PREVIOUS}) - AFTERWARDS
    if plain not in live:
        raise ValueError(f"unknown event {name!r}{nearest(name, {*live, *PIPECAT})}")
    return plain
