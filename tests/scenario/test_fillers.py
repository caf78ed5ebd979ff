"""A filler and the first words of substance are counted apart."""

from __future__ import annotations

import pytest

from bot.scenario.turns import Turn, read_timeline
from speech.timeline import TimelineEvent
from tests.scenario.lines import ONE_TURN, timeline

OWN_REPLY = (
    "3.7 tts_request r0 filler=preamble",
    "3.8 first_chunk r0",
    "3.85 scheduled r0",
    "3.9 audible r0",
    "3.95 heard_text r0 filler=preamble | Moment. ",
)
SAME_REPLY = (
    "4.0 tts_request r1 filler=lead_in",
    "4.1 first_chunk r1",
    "5.05 heard_text r1 filler=lead_in | Moment. ",
)


def turn_of(*lines: str) -> Turn:
    events = timeline(*ONE_TURN, *lines)
    units = [e if e.reply_id is None else unit(e) for e in events]
    return read_timeline(units).turns[0]


def unit(event: TimelineEvent) -> TimelineEvent:
    """Stages of the voice know their unit."""
    filler = "filler" in event.fields or event.at < 4.2
    has_unit = event.name in ("tts_request", "synthesis_start", "first_chunk")
    unit_id = f"{event.reply_id}/{1 if filler else 2}" if has_unit else None
    return TimelineEvent(event.name, event.at, event.reply_id, unit_id, event.fields)


def test_a_turn_without() -> None:
    turn = turn_of()
    assert not turn.began_with_filler
    assert {"filler_audible", "substance"}.isdisjoint(turn.times)


@pytest.mark.parametrize(("lines", "sounds"), [(OWN_REPLY, 0.9), (SAME_REPLY, 2.0)])
def test_stages_are_those_of_the_substance(lines: tuple[str, ...], sounds: float) -> None:
    turn = turn_of(*lines)
    assert turn.began_with_filler
    assert turn.times["filler_audible"] == pytest.approx(sounds)
    assert turn.times["substance"] == pytest.approx(2.1)
    assert turn.times["tts_request"] == pytest.approx(1.21)
    assert turn.times["first_chunk"] == pytest.approx(1.9)
    assert turn.times["audible"] == pytest.approx(2.0)


def test_a_filler_that_nothing_followed_is_all_there_was() -> None:
    lines = [line for line in ONE_TURN if " r1" not in line]
    events = [unit(event) for event in timeline(*lines, *OWN_REPLY)]
    (turn,) = read_timeline(events).turns
    assert turn.began_with_filler
    assert turn.times["audible"] == turn.times["filler_audible"] == pytest.approx(0.9)
    assert "substance" not in turn.times
