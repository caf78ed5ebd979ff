"""Words that only bridge a wait, kept apart from the first words of substance. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from speech.timeline import TimelineEvent

FILLER = "filler"
"""Field of the marks a filler leaves: ``preamble`` (the bot's own) or ``lead_in`` (the model's)."""

AUDIBLE, SUBSTANCE = "filler_audible", "substance"
"""Names in a turn's times: a filler's first sample; the first word that is none, played."""


class Fillers:
    """What of a turn's marks belongs to fillers. A reply may be one, or only begin with one."""

    def __init__(self, events: Sequence[TimelineEvent]) -> None:
        asked = [event for event in events if event.name == "tts_request"]
        self._units = {event.unit_id for event in asked if FILLER in event.fields}
        self._with_substance = {e.reply_id for e in asked if FILLER not in e.fields}
        first = {event.reply_id: FILLER in event.fields for event in reversed(asked)}
        self._whole = {event.reply_id for event in asked} - self._with_substance
        self.begun = {reply for reply, filler in first.items() if filler}
        """Replies whose first sound is a filler's."""

    def __bool__(self) -> bool:
        return bool(self._units)

    def without(self, events: Sequence[TimelineEvent]) -> Sequence[TimelineEvent]:
        """The marks of substance; all of them where nothing of substance was spoken."""
        if not self._units or not self._with_substance:
            return events
        return [event for event in events if not self.has(event)]

    def has(self, event: TimelineEvent) -> bool:
        """Whether the mark is a filler's."""
        in_unit = event.unit_id is not None and event.unit_id in self._units
        in_reply = event.reply_id is not None and event.reply_id in self._whole
        return FILLER in event.fields or in_unit or in_reply
