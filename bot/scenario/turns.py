"""Turns and interruptions, worked out from a timeline. Pure: events in, records out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.scenario.fillers import AUDIBLE, SUBSTANCE, Fillers
from bot.scenario.interruptions import SPEECH_SLACK_S, Interruption, Span, find_interruptions
from bot.scenario.picking import first_at, heard_of, joined_text, last_at, reply_ids
from bot.scenario.segments import Segment, segments
from speech.timeline import REPLY_CHAIN, TimelineEvent

_BY_REPLY = frozenset(REPLY_CHAIN[REPLY_CHAIN.index("tts_request") :]) - {"bot_started"}
"""Stages that carry the reply's id, where the transport and the voice know it."""

DETECTOR_S = "detector_s"
"""Field of ``user_speech_end``: how long the detector took to be sure, in seconds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said and what became of it. Times are on the events' clock.

    ``anchor`` is the end of the user's speech: from the recording where the scenario knows
    it (``anchor_source``), else as the detector put it. ``times`` are seconds after it.
    ``endpoint`` is when the detector was sure of that end.

    The stages are those of the first answer with substance. Where a filler came before it,
    ``filler_audible`` is its first sample, and ``substance`` when the first word of substance
    had been played.
    """

    start: float
    anchor: float
    anchor_source: str
    endpoint: float | None
    user_text: str
    bot_text: str
    heard_text: str
    times: dict[str, float]
    reply_ids: tuple[str, ...] = ()

    @property
    def began_with_filler(self) -> bool:
        """Whether the first sound of the answer was a filler's."""
        filler, first = (self.times.get(stage) for stage in (AUDIBLE, "audible"))
        return filler is not None and (first is None or filler <= first)

    @property
    def segments(self) -> list[Segment]:
        """Where the time up to the first sound of the answer went."""
        sure = None if self.endpoint is None else self.endpoint - self.anchor
        return segments(self.times, sure)


@dataclass(frozen=True, slots=True)
class Conversation:
    """``opening`` is what the bot said before any user turn: the greeting."""

    turns: list[Turn] = field(default_factory=list)
    interruptions: list[Interruption] = field(default_factory=list)
    opening: str = ""
    opening_heard: str = ""


def read_timeline(events: Iterable[TimelineEvent], speech: Sequence[Span] = ()) -> Conversation:
    """The conversation in ``events``; ``speech`` is where the user is known to have spoken.

    A turn counts when something was understood or answered: a cough that only woke the
    detector does not.
    """
    ordered = sorted(events, key=lambda event: event.at)
    frames = _frames(ordered)
    interruptions = find_interruptions(ordered, speech)
    turns = [_turn(ordered, frame, speech, interruptions) for frame in frames]
    first = frames[0].stopped if frames else float("inf")
    opening_ids = reply_ids(ordered, float("-inf"), first)
    return Conversation(
        turns=[turn for turn in turns if turn.user_text or "llm_request" in turn.times],
        interruptions=interruptions,
        opening=joined_text(ordered, "bot_text", float("-inf"), first),
        opening_heard=heard_of(ordered, opening_ids, float("-inf"), first),
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """Borders of a turn: the user begins, the user's turn is over, the same of the next."""

    start: float
    stopped: float
    next_start: float
    next_stopped: float


def _frames(events: Sequence[TimelineEvent]) -> list[_Frame]:
    started = [event.at for event in events if event.name == "user_started"]
    starts = [_onset_of(events, at) for at in started]
    stops = [
        next((e.at for e in events if e.name == "user_stopped" and e.at >= begin), float("inf"))
        for begin in started
    ]
    ends = [*starts[1:], float("inf")]
    return [
        _Frame(starts[i], stops[i], ends[i], [*stops[1:], float("inf")][i])
        for i in range(len(starts))
    ]


def _onset_of(events: Sequence[TimelineEvent], started: float) -> float:
    """The sound that began the turn: the last onset before it with no turn in between."""
    onset = started
    for event in events:
        if event.at > started:
            break
        if event.name == "user_onset":
            onset = event.at
        elif event.name == "user_stopped" or (event.name == "user_started" and event.at < started):
            onset = started
    return onset


def _turn(
    events: Sequence[TimelineEvent],
    frame: _Frame,
    speech: Sequence[Span],
    interruptions: Sequence[Interruption],
) -> Turn:
    detected = last_at(events, "user_speech_end", frame.start, min(frame.stopped, frame.next_start))
    anchor, source = _anchor(frame, speech, detected)
    replies = reply_ids(events, frame.stopped, frame.next_stopped)
    times = _times(events, frame, anchor, replies)
    _add_barge_in(times, frame, anchor, interruptions)
    return Turn(
        start=frame.start,
        anchor=anchor,
        anchor_source=source,
        endpoint=_endpoint(events, detected),
        user_text=joined_text(events, "user_text", frame.start, frame.next_start),
        bot_text=joined_text(events, "bot_text", frame.stopped, frame.next_stopped),
        heard_text=heard_of(events, replies, frame.stopped, frame.next_stopped),
        times=dict(sorted(times.items(), key=lambda item: item[1])),
        reply_ids=replies,
    )


def _endpoint(events: Sequence[TimelineEvent], detected: float | None) -> float | None:
    for event in events:
        if event.name == "user_speech_end" and event.at == detected and DETECTOR_S in event.fields:
            return event.at + float(event.fields[DETECTOR_S])
    return None


def _anchor(frame: _Frame, speech: Sequence[Span], detected: float | None) -> tuple[float, str]:
    limit = min(frame.stopped, frame.next_start)
    known = [end for start, end in speech if _belongs(frame, start, end, limit)]
    if known:
        return max(known), "recording"
    return (frame.start, "onset") if detected is None else (detected, "detector")


def _belongs(frame: _Frame, start: float, end: float, limit: float) -> bool:
    return end > frame.start - SPEECH_SLACK_S and start < limit and end < limit + SPEECH_SLACK_S


def _times(
    events: Sequence[TimelineEvent], frame: _Frame, anchor: float, replies: Sequence[str]
) -> dict[str, float]:
    times = {"user_speech_end": 0.0}
    asked = first_at(events, "llm_request", frame.stopped, frame.next_stopped)
    heard = last_at(events, "stt_final", frame.start, frame.next_start if asked is None else asked)
    if heard is not None:
        times["stt_final"] = heard - anchor
    if frame.stopped < float("inf"):
        times["user_stopped"] = frame.stopped - anchor
    mine = [event for event in events if event.reply_id in replies]
    fillers = Fillers(mine)
    substance = fillers.without(events)
    for stage in REPLY_CHAIN[2:]:
        of = replies if stage in _BY_REPLY else None
        at = first_at(substance, stage, frame.stopped, frame.next_stopped, of)
        if at is not None:
            times[stage] = at - anchor
    return times | (_filler_times(mine, anchor, fillers) if fillers else {})


def _filler_times(
    events: Sequence[TimelineEvent], anchor: float, fillers: Fillers
) -> dict[str, float]:
    sounds = [e.at for e in events if e.name == "audible" and e.reply_id in fillers.begun]
    words = [e.at for e in events if e.name == "heard_text" and not fillers.has(e)]
    found = {AUDIBLE: min(sounds, default=None), SUBSTANCE: min(words, default=None)}
    return {stage: at - anchor for stage, at in found.items() if at is not None}


def _add_barge_in(
    times: dict[str, float],
    frame: _Frame,
    anchor: float,
    interruptions: Sequence[Interruption],
) -> None:
    for cut in interruptions:
        if frame.start <= cut.at < frame.next_start:
            times["interrupt"] = cut.at - anchor
            if cut.user_onset is not None:
                times["user_onset"] = cut.user_onset - anchor
            if cut.silent is not None:
                times["silent"] = cut.silent - anchor
