"""Every stage of every reply, on one clock."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from speech.queues import Queues, QueueUse
from speech.text_clean import json_text

REPLY_CHAIN = (
    "stt_final",
    "user_stopped",
    "llm_request",
    "llm_first_token",
    "tool_call",
    "tool_result",
    "unit_released",
    "tts_request",
    "synthesis_start",
    "first_chunk",
    "transport_send",
    "client_received",
    "decoded",
    "scheduled",
    "bot_started",
    "audible",
)
"""In the order they happen between the user's last sound and the bot's first."""

_NO_STAGES = ("user_stopped", "tool_call", "tool_result", "bot_started")

BARGE_IN = ("interrupt", "ducked", "silent")

STAGES = (
    "user_speech_end",
    *(name for name in REPLY_CHAIN if name not in _NO_STAGES),
    "user_onset",
    *BARGE_IN,
)
"""DESIGN's stage names; a stage is never reported under another's name."""

EVENTS = (
    "session_start",
    "session_end",
    "user_started",
    "user_text",
    "bot_stopped",
    "bot_text",
    "unit_done",
    "heard_text",
    "resumed",
    *_NO_STAGES,
    "error",
    "device",
    "queue",
    "note",
)
"""What else a report shows: turns, texts, tools, faults, queues."""

NAMES = frozenset(STAGES + EVENTS)

MAX_EVENTS = 50_000
"""About eight hours of talk; the oldest are dropped and counted beyond it."""


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """``name`` is one of ``STAGES`` or ``EVENTS``; ``at`` is seconds on the timeline's clock.

    ``reply_id`` is the reply (pipecat's audio context id), ``unit_id`` the unit in it.
    """

    name: str
    at: float
    reply_id: str | None = None
    unit_id: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    def to_json(self, origin: float = 0.0) -> str:
        """One JSON line, ``at`` relative to ``origin``, in seconds."""
        record: dict[str, Any] = {"name": self.name, "at": round(self.at - origin, 6)}
        if self.reply_id is not None:
            record["reply_id"] = self.reply_id
        if self.unit_id is not None:
            record["unit_id"] = self.unit_id
        return json_text(record | self.fields)


Listener = Callable[[TimelineEvent], None]


class Timeline:
    """Append-only record of events; safe to mark from any thread.

    Bounded: the oldest events are dropped beyond ``max_events`` and counted in ``dropped``.
    ``queues`` are the conversation's, with how full each ever was. Listeners run in the marking
    thread and must not block.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, max_events: int = MAX_EVENTS
    ) -> None:
        self.clock = clock
        self.dropped = 0
        self.queues = Queues()
        self._events: deque[TimelineEvent] = deque(maxlen=max_events)
        self.queues.read("timeline", self._use)
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()

    def mark(
        self,
        name: str,
        *,
        at: float | None = None,
        reply_id: str | None = None,
        unit_id: str | None = None,
        **fields: Any,
    ) -> TimelineEvent:
        """Record ``name`` now, or at ``at`` seconds on this timeline's clock."""
        if name not in NAMES:
            raise ValueError(f"{name!r} is not a timeline name")
        when = self.clock() if at is None else at
        event = TimelineEvent(name, when, reply_id, unit_id, fields)
        with self._lock:
            self.dropped += len(self._events) == self._events.maxlen
            self._events.append(event)
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(event)
        return event

    def mark_queues(self) -> None:
        """At the end: an event for each queue, ``what`` it is and how full it ever was."""
        for use in self.queues.uses():
            self.mark(
                "queue",
                what=use.name,
                high_water=use.high_water,
                bound=use.bound,
                unit=use.unit,
                dropped=use.dropped,
                policy=use.policy,
            )

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each later event; returns the function that ends it."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _use(self) -> QueueUse:
        bound = self._events.maxlen or 0
        held = len(self._events)
        return QueueUse("timeline", "events", bound, "the oldest go", held, self.dropped)

    @property
    def events(self) -> list[TimelineEvent]:
        """A copy, in order of time."""
        with self._lock:
            return sorted(self._events, key=lambda event: event.at)
