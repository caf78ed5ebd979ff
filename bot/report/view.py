"""What the page shows, worked out from a run's files; the template only places it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.report.meanings import STAGE_MEANINGS
from bot.scenario.segments import SEGMENTS
from speech.timeline import BARGE_IN, REPLY_CHAIN

Record = Mapping[str, Any]

_UNDRAWN = ("user_stopped", "bot_started")
"""Beside ``llm_request`` and ``scheduled``, at nearly the same moment."""

MARKED = (
    "user_onset",
    "user_speech_end",
    *(stage for stage in REPLY_CHAIN if stage not in _UNDRAWN),
    *BARGE_IN,
    "error",
)
"""The stages drawn over the waveforms, in the order of the legend."""

MAX_MARKS = 2_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A stage at a place, in per cent of the width."""

    stage: str
    left: float
    at: float
    detail: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A segment of a turn's wait; widths in per cent of the longest wait of the run."""

    name: str
    slug: str
    left: float
    width: float
    seconds: float
    slowest: bool


@dataclass(frozen=True, slots=True)
class Wait:
    """A turn's bar: the whole wait, and which part of it was longest.

    ``span`` is where the wait lies in the recording: left and width in per cent. ``filler`` is
    when a filler was heard before, in seconds.
    """

    number: int
    said: str
    total: float | None
    bars: list[Bar]
    slowest: Bar | None
    span: tuple[float, float] | None
    filler: float | None = None


def slug(name: str) -> str:
    """A class name for a segment or stage."""
    return name.lower().replace(" ", "-").replace("_", "-")


def waits(turns: Sequence[Record], duration_s: float) -> list[Wait]:
    """One bar for each turn, all on the same scale."""
    totals = [t["segments"][-1]["to"] if t.get("segments") else 0.0 for t in turns]
    scale = max([*totals, 0.001])
    return [
        _wait(number, turn, scale, max(duration_s, 0.001)) for number, turn in enumerate(turns, 1)
    ]


def _wait(number: int, turn: Record, scale: float, duration_s: float) -> Wait:
    parts = turn.get("segments") or []
    lengths = [part["to"] - part["from"] for part in parts]
    longest = max(lengths, default=0.0)
    bars = [
        Bar(
            name=part["name"],
            slug=slug(part["name"]),
            left=100 * part["from"] / scale,
            width=100 * length / scale,
            seconds=length,
            slowest=length == longest,
        )
        for part, length in zip(parts, lengths, strict=True)
    ]
    slowest = next((bar for bar in bars if bar.slowest), None)
    total = parts[-1]["to"] if parts else None
    begin = turn.get("user_speech_end_s")
    span = None
    if total is not None and begin is not None:
        span = (100 * begin / duration_s, 100 * total / duration_s)
    filler = turn["times"].get("filler_audible") if turn.get("began_with_filler") else None
    return Wait(number, turn["user_text"], total, bars, slowest, span, filler)


def used_segments(rows: Sequence[Wait]) -> list[tuple[str, str, str]]:
    """Name, class and meaning of the segments that occur, in order."""
    names = {bar.name for row in rows for bar in row.bars}
    return [(name, slug(name), meaning) for name, _, meaning in SEGMENTS if name in names]


def used_stages(shown: Sequence[Mark]) -> list[tuple[str, str]]:
    """Name and meaning of the stages that occur, in order."""
    names = {mark.stage for mark in shown}
    return [(stage, STAGE_MEANINGS[stage]) for stage in MARKED if stage in names]


def marks(events: Sequence[Record], duration_s: float) -> list[Mark]:
    """The stages over the waveforms; at most ``MAX_MARKS``, the first ones."""
    shown = [e for e in events if e["name"] in MARKED and 0 <= e["at"] <= duration_s]
    return [
        Mark(e["name"], 100 * e["at"] / max(duration_s, 0.001), e["at"], _detail(e))
        for e in shown[:MAX_MARKS]
    ]


def _detail(event: Record) -> str:
    known = (event.get("tool"), event.get("text"), event.get("unit_id") or event.get("reply_id"))
    return next((str(value) for value in known if value), "")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the transcript: who, and the words with whether they were heard."""

    who: str
    number: int | None
    words: list[tuple[str, bool]]


def transcript(result: Record) -> list[Line]:
    """The conversation, each word of the bot with whether it was played."""
    lines = []
    greeting = result.get("greeting") or {}
    if greeting.get("bot_text"):
        lines.append(Line("bot", None, heard_words(greeting["bot_text"], greeting["heard_text"])))
    for number, turn in enumerate(result["turns"], 1):
        said = turn["user_text"] or "(nothing understood)"
        lines.append(Line("user", number, [(word, True) for word in said.split()]))
        lines.append(Line("bot", number, heard_words(turn["bot_text"], turn["heard_text"])))
    return lines


def heard_words(said: str, heard: str) -> list[tuple[str, bool]]:
    """Each word of ``said``, and whether it is among the heard ones, in order."""
    words, played = said.split(), heard.split()
    matcher = difflib.SequenceMatcher(None, words, played, autojunk=False)
    known = [False] * len(words)
    for block in matcher.get_matching_blocks():
        known[block.a : block.a + block.size] = [True] * block.size
    return list(zip(words, known, strict=True))


def notes(events: Sequence[Record]) -> list[tuple[str, str]]:
    """High-water marks, losses and other remarks: what, and its fields."""
    shown = []
    for event in events:
        if event["name"] == "queue":
            shown.append((str(event.get("what", "queue")), _queue_use(event)))
        elif event["name"] == "note" and event.get("what") not in ("user_audio", "response"):
            rest = {k: v for k, v in event.items() if k not in ("name", "at", "what")}
            text = ", ".join(f"{key} {value}" for key, value in rest.items())
            shown.append((str(event.get("what", "note")), text))
    return shown


def _queue_use(queue: Record) -> str:
    """How full it ever was, of how much, and what its bound means."""
    unit, dropped = queue.get("unit", ""), queue.get("dropped")
    lost = f"; {dropped} {unit} lost" if dropped else ""
    policy = queue.get("policy", "")
    return f"{queue.get('high_water', 0)} of {queue.get('bound', 0)} {unit}{lost} ({policy})"
