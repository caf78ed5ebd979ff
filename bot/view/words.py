"""The view's words, for people on a terminal and for a pipe."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bot.view.state import SHOWN_STAGES, Line, Mood, ViewState, printable
from speech.timeline import TimelineEvent

_STAGE_WORDS = {
    "stt_final": "understood",
    "llm_first_token": "first word",
    "first_chunk": "first sound",
    "scheduled": "at the speaker",
}
_MOOD_STYLES: dict[Mood, str] = {
    "starting": "dim",
    "listening": "green",
    "thinking": "yellow",
    "speaking": "cyan",
    "interrupted": "magenta",
    "ended": "dim",
}
_SPEAKERS = {"user_text": "you", "bot_text": "bot"}
_MARKS = {"you": ("you  ", "bold green"), "bot": ("bot  ", "bold cyan"), "note": ("     ", "dim")}


def panel(state: ViewState) -> RenderableType:
    """The part of the screen that changes: the turn in progress, the state, the latencies."""
    status = Text.assemble(
        ("● ", _MOOD_STYLES[state.mood]),
        (state.mood.ljust(12), f"bold {_MOOD_STYLES[state.mood]}"),
        (latencies(state), "dim"),
    )
    return Group(*(styled(line) for line in state.lines[-1:]), Text(), status)


def styled(line: Line) -> Text:
    """A turn as one text: heard words plain, words on their way dim, unheard ones struck out."""
    mark, style = _MARKS[line.who]
    text = Text.assemble((mark, style))
    if line.who != "bot":
        return text.append(line.text, "dim" if line.who == "note" else "")
    heard, rest = played(line)
    text.append(heard)
    if rest:
        text.append(" " if heard else "")
        text.append(rest, "dim strike" if line.cut else "dim")
    if line.cut:
        text.append("  (interrupted)", "magenta")
    return text


def played(line: Line) -> tuple[str, str]:
    """The words of the bot's text that were played, and the rest."""
    words = line.text.split()
    count = len(line.heard.split())
    return " ".join(words[:count]), " ".join(words[count:])


def latencies(state: ViewState) -> str:
    """``understood 0.42 s · first word 0.61 s``: seconds after the user's last sound."""
    known = [(_STAGE_WORDS[s], state.latencies[s]) for s in SHOWN_STAGES if s in state.latencies]
    return " · ".join(f"{words} {after_s:.2f} s" for words, after_s in known)


def event_lines(before: ViewState, after: ViewState, event: TimelineEvent) -> list[str]:
    """What a pipe is told of an event: words said, notices, latencies, changes of state."""
    lines = []
    if event.name in _SPEAKERS and after is not before:
        lines.append(f"{_SPEAKERS[event.name]}: {printable(event.fields['text'])}")
    elif after.first_line + len(after.lines) > before.first_line + len(before.lines):
        lines.extend(f"note: {line.text}" for line in after.lines[-2:] if line not in before.lines)
    if event.name == "scheduled" and after is not before:
        lines.append(f"latency: {latencies(after)}")
    if after.mood != before.mood:
        lines.append(f"[{after.mood}]")
    return lines
