"""One reply as it was recorded, and the row of figures made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.bargein import heard as look
from bench.bargein.align import QUIET, Samples, align, find
from bench.bargein.bot_process import Mark, Reference
from bench.bargein.noises import RATE_HZ as MICROPHONE_HZ
from bench.soundcard.recorder import Stretch
from speech.timeline import BARGE_IN

SPEAKER_HZ = 24_000
"""The voice's rate and the card's: nothing is resampled, so a recording is compared bit by bit."""

LIMIT_S = 0.04
"""Sound later than this after a cut is counted sample by sample."""
BEFORE_NEXT_S = 0.15
"""The device's own word for when the next reply begins is some 20 ms from the recording's."""
_PIECE_S = 0.1
_PAUSE_S = 0.03
"""Where speech pauses for so long, a recording cannot tell when its gain reached zero."""


@dataclass(frozen=True)
class Capture:
    """A reply from before its first sample until into the next one.

    ``clip`` is what the microphone got meanwhile, if anything; ``next_at`` when the device
    was to play the next reply's first sample; ``credited`` the pieces of text that passed
    for heard; ``marks`` the timeline's marks of the stretch.
    """

    reply: str
    reference: Reference
    speaker: Stretch
    microphone: Stretch
    marks: Sequence[Mark]
    next_at: float
    clip: Samples | None = None
    underruns: int = 0
    """Of the device in this stretch: then the sound server itself may repeat samples."""

    def first(self, name: str) -> Mark | None:
        """The first such mark of this reply, or of no reply in particular."""
        own = (mark for mark in self.marks if mark.name == name)
        return next((mark for mark in own if mark.reply in (None, self.reply)), None)

    def onset_at(self) -> float | None:
        """When the clip's first sample was in the microphone."""
        if self.clip is None:
            return None
        size = round(_PIECE_S * MICROPHONE_HZ)
        for begin in range(0, min(len(self.clip) - size, MICROPHONE_HZ), size):
            # Not the first piece alone: on a busy machine the player may stumble.
            piece = self.clip[begin : begin + size].astype(np.float64)
            place = find(piece, self.microphone.samples)
            if place is not None:
                return self.microphone.begins_at + (place - begin) / MICROPHONE_HZ
        return None

    @property
    def credited(self) -> list[str]:
        return [
            mark.fields["text"]
            for mark in self.marks
            if mark.name == "heard_text" and mark.reply == self.reply
        ]


class Reading:
    """The recording of a capture, read once."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        reference = capture.reference
        self.said = reference.samples
        self.heard = capture.speaker.samples
        # No further: the next reply may begin with the same words.
        self._ends = self.place(capture.next_at - BEFORE_NEXT_S)
        self.runs = align(self.said, self.heard[: self._ends], SPEAKER_HZ)
        self.words = reference.words
        self.holds = look.holds(self.runs, self.said, self.heard, SPEAKER_HZ)
        self.last = self._last()

    def at(self, place: int) -> float:
        """The moment of a sample of the recording."""
        return self.capture.speaker.begins_at + place / SPEAKER_HZ

    def place(self, at: float) -> int:
        """The recording's sample of a moment."""
        return max(0, round((at - self.capture.speaker.begins_at) * SPEAKER_HZ))

    @property
    def until(self) -> int:
        """The reference's sample that was audible last; -1 for none."""
        if self.last is None:
            return -1
        return look.said_until(self.runs, self.last, len(self.said))

    @property
    def heard_to_its_end(self) -> bool:
        loud = np.flatnonzero(np.abs(self.said.astype(np.int32)) >= QUIET)
        return bool(loud.size and self.until >= loud[-1])

    def silent_at(self, onset: float) -> tuple[float | None, bool]:
        """When the sound was gone after the onset, and whether speech was loud there."""
        from_here = self.place(onset)
        for hold in self.holds:
            if hold.begin > from_here:
                return self.at(hold.begin), self._loud_behind(hold.begin)
        if self.last is None or self.last < from_here:
            return None, False
        return self.at(self.last + 1), self._loud_behind(self.last + 1)

    def _loud_behind(self, place: int) -> bool:
        before = [run for run in self.runs if run.heard < place]
        if not before:
            return False
        begin = place - before[-1].shift
        behind = self.said[begin : begin + round(_PAUSE_S * SPEAKER_HZ)].astype(np.float64)
        return bool(behind.size) and float(np.sqrt(np.mean(behind**2))) >= QUIET

    def _last(self) -> int | None:
        if not self.runs:
            return None
        return look.last_audible(self.heard, self.runs[0].heard, self._ends)


def row_of(capture: Capture) -> dict[str, Any]:
    """The figures of one reply, in ms and samples; None where there is none."""
    reading = Reading(capture)
    clock_ms = _clock_ms(reading)
    row: dict[str, Any] = {
        "reply_s": len(reading.said) / SPEAKER_HZ,
        # Without its own booking it is not known to be this reply, though words agree.
        "aligned": clock_ms is not None,
        "recording_drift_ms": 1000 * capture.speaker.drift_s,
        "clock_ms": clock_ms,
        "device_underruns": capture.underruns,
        "heard_to_its_end": reading.heard_to_its_end,
        "holds": [_hold(reading, hold) for hold in reading.holds],
        "begins_with_own_sound": _begins_clean(reading),
        **_cut(reading),
        **_onset(reading),
        **_words(reading),
        "marks": _marks(capture),
    }
    return row


_TOLD = (
    "user_onset", "user_started", "user_speech_end", "stt_final", "llm_request", "scheduled",
    "bot_stopped", "note", "error", *BARGE_IN, "resumed",
)  # fmt: skip


def _marks(capture: Capture) -> list[str]:
    booked = capture.first("scheduled")
    return told(
        capture.marks, capture.speaker.begins_at if booked is None else booked.at, capture.reply
    )


def told(marks: Sequence[Mark], begun: float, reply: str | None = None) -> list[str]:
    """What happened, in order: the moment since ``begun``, whose it was, why."""
    lines = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        if mark.name in _TOLD:
            whose = "" if reply is None or mark.reply in (None, reply) else "other "
            said = " ".join(str(mark.fields[key]) for key in ("what", "why") if key in mark.fields)
            lines.append(f"{mark.at - begun:+.3f} {whose}{mark.name} {said}".strip())
    return lines


def _hold(reading: Reading, hold: look.Hold) -> Mapping[str, Any]:
    heard, said = reading.heard, reading.said
    return {
        "at_s": (hold.begin - reading.runs[0].heard) / SPEAKER_HZ,
        "step_before": look.step_ratio(heard, said, hold.begin - 1, SPEAKER_HZ),
        "step_behind": look.step_ratio(heard[::-1], said, len(heard) - hold.end - 1, SPEAKER_HZ),
        "length_ms": 1000 * (hold.end - hold.begin) / SPEAKER_HZ,
        "gap_ms": 1000 * hold.gap / SPEAKER_HZ,
    }


def _clock_ms(reading: Reading) -> float | None:
    """The recording's time of the reply's first sample less the device's own."""
    scheduled = [m for m in reading.capture.marks if m.name == "scheduled"]
    own = [mark for mark in scheduled if mark.reply == reading.capture.reply]
    if not own or not reading.runs:
        return None
    return 1000 * (reading.at(reading.runs[0].shift) - own[0].at)


def _begins_clean(reading: Reading) -> bool | None:
    """Whether the first sound is the reply's own first sample, not a dead one's rest."""
    loud = np.flatnonzero(np.abs(reading.said.astype(np.int32)) >= look.AUDIBLE)
    if not reading.runs or not loud.size:
        return None
    first = look.first_audible(reading.heard, 0)
    if first is None:
        return False
    return bool(abs(first - reading.runs[0].shift - loud[0]) <= SPEAKER_HZ // 1000)


def _cut(reading: Reading) -> dict[str, Any]:
    cut, silent = reading.capture.first("interrupt"), reading.capture.first("silent")
    if cut is None:
        return {"cut_at_s": None, "cut_to_silent_ms": None, "samples_after_cut": None}
    late = reading.heard[
        reading.place(cut.at + LIMIT_S) : reading.place(reading.capture.next_at - BEFORE_NEXT_S)
    ]
    last = reading.last
    begins = reading.at(reading.runs[0].heard) if reading.runs else None
    return {
        "cut_why": cut.fields.get("why"),
        "silent_marked_ms": None if silent is None else 1000 * (silent.at - cut.at),
        "cut_at_s": None if begins is None else cut.at - begins,
        "cut_to_silent_ms": None if last is None else 1000 * (reading.at(last + 1) - cut.at),
        "samples_after_cut": int(np.count_nonzero(np.abs(late.astype(np.int32)) >= look.AUDIBLE)),
        "step_of_speech": None
        if last is None
        else look.step_ratio(reading.heard, reading.said, last, SPEAKER_HZ),
        "end_step": None if last is None else look.end_step(reading.heard, last),
    }


def _onset(reading: Reading) -> dict[str, Any]:
    onset = reading.capture.onset_at()
    if onset is None:
        return {"onset_to_duck_ms": None}
    silent, loud = reading.silent_at(onset)
    ducked = reading.capture.first("ducked")
    marked = None if ducked is None else 1000 * (ducked.at - onset)
    recorded = None if silent is None else 1000 * (silent - onset)
    detected = [m for m in reading.capture.marks if m.name == "user_onset" and m.at > onset - 0.5]
    cut, stopped = reading.capture.first("interrupt"), reading.capture.first("bot_stopped")
    return {
        "onset_to_end_ms": None if stopped is None else 1000 * (stopped.at - onset),
        "onset_to_duck_ms": recorded if loud else marked,
        "onset_to_duck_recorded_ms": recorded,
        "onset_to_duck_marked_ms": marked,
        "onset_to_cut_ms": None if cut is None else 1000 * (cut.at - onset),
        "onset_noticed_ms": 1000 * (detected[0].at - onset) if detected else None,
        "loud_at_duck": loud,
    }


def _words(reading: Reading) -> dict[str, Any]:
    said = [word.text for word in reading.words]
    credited = reading.capture.credited
    least, most = look.audible_words(reading.words, reading.said, reading.until)
    count = sum(any(sign.isalnum() for sign in piece) for piece in credited)
    return {
        "words_said": sum(word.is_word for word in reading.words),
        "words_credited": count,
        "words_audible": least,
        "words_audible_at_most": most,
        "overcredited_words": max(0, count - most),
        "missing_words": max(0, least - count),
        "credited_in_order": credited == said[: len(credited)],
    }
