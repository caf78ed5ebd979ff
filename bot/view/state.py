"""What is to be seen of a conversation, as a pure function of its timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from speech.timeline import TimelineEvent

Mood = Literal["starting", "listening", "thinking", "speaking", "interrupted", "ended"]
Who = Literal["you", "bot", "note"]

SHOWN_STAGES = ("stt_final", "llm_first_token", "first_chunk", "scheduled")
"""Counted from ``user_speech_end``, each under its own name."""

_REPLY_STAGES = frozenset({"llm_first_token", "first_chunk", "scheduled"})
_KEPT_LINES = 50


@dataclass(frozen=True)
class Line:
    """One turn, or a notice. Of the bot's ``text`` the first words, ``heard``, were played.

    ``open`` is whether more of the turn may follow, ``cut`` whether it was interrupted.
    """

    who: Who
    text: str
    heard: str = ""
    open: bool = False
    cut: bool = False


@dataclass(frozen=True)
class ViewState:
    """``lines`` are the latest, oldest first; ``first_line`` counts those dropped before them.

    ``latencies`` are seconds from the end of the user's speech, for the latest turn.
    """

    mood: Mood = "starting"
    lines: tuple[Line, ...] = ()
    first_line: int = 0
    latencies: Mapping[str, float] = field(default_factory=dict)
    speech_end: float | None = None
    requested: bool = False
    answer_due: bool = False

    def apply(self, event: TimelineEvent) -> ViewState:
        """The state after this event; events that show nothing give the same state."""
        handler = _HANDLERS.get(event.name)
        return handler(self, event) if handler else self


def printable(text: object) -> str:
    """``text`` on one line and without control characters, which could drive the terminal."""
    words = " ".join(str(text).split())
    return "".join(char for char in words if char.isprintable())


def _session_start(state: ViewState, _event: TimelineEvent) -> ViewState:
    return replace(state, mood="listening") if state.mood == "starting" else state


def _session_end(state: ViewState, _event: TimelineEvent) -> ViewState:
    return replace(_closed(state), mood="ended")


def _user_started(state: ViewState, _event: TimelineEvent) -> ViewState:
    """Who speaks while the bot thinks takes the turn back."""
    mood: Mood = "listening" if state.mood == "thinking" else state.mood
    return replace(state, mood=mood, answer_due=False)


def _user_stopped(state: ViewState, _event: TimelineEvent) -> ViewState:
    """The bot thinks only where words were recognised; a cough ends in listening."""
    if state.mood == "speaking":
        return state
    return replace(state, mood="thinking" if state.answer_due else "listening")


def _speech_end(state: ViewState, event: TimelineEvent) -> ViewState:
    return replace(state, speech_end=event.at, latencies={}, requested=False)


def _request(state: ViewState, _event: TimelineEvent) -> ViewState:
    mood: Mood = state.mood if state.mood == "speaking" else "thinking"
    return replace(state, mood=mood, requested=True)


def _stage(state: ViewState, event: TimelineEvent) -> ViewState:
    """Stages of an earlier reply that still plays are not this turn's latencies."""
    early = event.name in _REPLY_STAGES and not state.requested
    if state.speech_end is None or early or event.name in state.latencies:
        return state
    after_s = max(0.0, event.at - state.speech_end)
    return replace(state, latencies={**state.latencies, event.name: after_s})


def _user_text(state: ViewState, event: TimelineEvent) -> ViewState:
    text = printable(event.fields.get("text", ""))
    return replace(_add(state, "you", text), answer_due=True) if text else state


def _bot_text(state: ViewState, event: TimelineEvent) -> ViewState:
    text = printable(event.fields.get("text", ""))
    return _add(state, "bot", text) if text else state


def _heard_text(state: ViewState, event: TimelineEvent) -> ViewState:
    text = printable(event.fields.get("text", ""))
    for index in range(len(state.lines) - 1, -1, -1):
        line = state.lines[index]
        if line.who == "bot":
            heard = replace(line, heard=f"{line.heard} {text}".strip())
            lines = (*state.lines[:index], heard, *state.lines[index + 1 :])
            return replace(state, lines=lines)
    return state


def _bot_started(state: ViewState, _event: TimelineEvent) -> ViewState:
    return replace(state, mood="speaking", answer_due=False)


def _bot_stopped(state: ViewState, _event: TimelineEvent) -> ViewState:
    if state.mood != "speaking":
        return _closed(state)
    return replace(_closed(state), mood="listening")


def _interrupt(state: ViewState, _event: TimelineEvent) -> ViewState:
    if state.mood != "speaking":
        return state
    last = state.lines[-1] if state.lines else None
    if last and last.who == "bot":
        cut = replace(last, cut=True, open=False)
        state = replace(state, lines=(*state.lines[:-1], cut))
    return replace(state, mood="interrupted")


def _note(state: ViewState, event: TimelineEvent) -> ViewState:
    said = event.fields.get("text") or event.fields.get("message")
    if event.name == "tool_call":
        said = f"uses {event.fields.get('tool', 'a tool')}"
    return _add(state, "note", printable(said)) if said else state


def _add(state: ViewState, who: Who, text: str) -> ViewState:
    """Continue the speaker's open turn, or begin one; a notice goes above an open turn."""
    last = state.lines[-1] if state.lines else None
    if last and last.who == who and last.open:
        line = replace(last, text=f"{last.text} {text}")
        return replace(state, lines=(*state.lines[:-1], line))
    if last and last.open and who == "note":
        lines = (*state.lines[:-1], Line(who, text), last)
    else:
        lines = (*_closed(state).lines, Line(who, text, open=who != "note"))
    dropped = max(0, len(lines) - _KEPT_LINES)
    return replace(state, lines=lines[dropped:], first_line=state.first_line + dropped)


def _closed(state: ViewState) -> ViewState:
    if not state.lines or not state.lines[-1].open:
        return state
    return replace(state, lines=(*state.lines[:-1], replace(state.lines[-1], open=False)))


_HANDLERS: dict[str, Callable[[ViewState, TimelineEvent], ViewState]] = {
    "session_start": _session_start,
    "session_end": _session_end,
    "user_started": _user_started,
    "user_stopped": _user_stopped,
    "user_speech_end": _speech_end,
    "llm_request": _request,
    "stt_final": _stage,
    "llm_first_token": _stage,
    "first_chunk": _stage,
    "scheduled": _stage,
    "user_text": _user_text,
    "bot_text": _bot_text,
    "heard_text": _heard_text,
    "bot_started": _bot_started,
    "bot_stopped": _bot_stopped,
    "interrupt": _interrupt,
    "tool_call": _note,
    "error": _note,
    "device": _note,
    "note": _note,
}
