"""Waiting for what happens on a timeline, without polling and never without an end."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable

from speech.timeline import Timeline, TimelineEvent

_REST_AFTER = ("llm_first_token", "tool_call", "bot_started", "bot_stopped", "interrupt", "error")
"""Any of these answers an ``llm_request``."""

_ACTIVITY = frozenset(
    {"user_started", "user_stopped", "user_text", "llm_request", "llm_first_token", "tool_call"}
    | {"tool_result", "tts_request", "bot_started", "bot_stopped", "interrupt", "error"}
)


class Watch:
    """The latest and all times of each event so far; ``until`` wakes on every new one.

    Memory is bounded by the run: a scenario ends after at most ten minutes.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._clock = timeline.clock
        self._times: defaultdict[str, list[float]] = defaultdict(list)
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._unsubscribe = timeline.subscribe(self._on_event)
        self.last_activity = timeline.clock()

    def close(self) -> None:
        """Stop listening."""
        self._unsubscribe()

    def first(self, name: str, since: float) -> float | None:
        """When ``name`` first happened at or after ``since``; None if it did not yet."""
        return next((at for at in self._times[name] if at >= since), None)

    def last(self, name: str) -> float:
        """When ``name`` last happened; minus infinity for never."""
        return max(self._times[name], default=float("-inf"))

    @property
    def bot_speaks(self) -> bool:
        """Between ``bot_started`` and ``bot_stopped``."""
        return self.last("bot_started") > self.last("bot_stopped")

    @property
    def bot_thinks(self) -> bool:
        """A request to the model has had no answer of any kind yet."""
        asked = self.last("llm_request")
        return asked > max(self.last(name) for name in _REST_AFTER)

    async def until(self, condition: Callable[[], bool], deadline: float) -> bool:
        """Wait for ``condition``, looked at whenever something happens.

        False when the clock reaches ``deadline`` first.
        """
        while not condition():
            remaining = deadline - self._clock()
            if remaining <= 0:
                return False
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), remaining)
            except TimeoutError:
                return condition()
        return True

    async def until_quiet(self, quiet_s: float, deadline: float) -> bool:
        """Wait until nobody has spoken, thought or been heard for ``quiet_s``."""
        while True:
            if not await self.until(lambda: not (self.bot_speaks or self.bot_thinks), deadline):
                return False
            calm_at = self.last_activity + quiet_s
            if self._clock() >= calm_at:
                return True
            seen = self.last_activity
            await self.until(lambda seen=seen: self.last_activity != seen, min(calm_at, deadline))  # type: ignore[misc]
            if self._clock() >= deadline:
                return False

    def _on_event(self, event: TimelineEvent) -> None:
        self._loop.call_soon_threadsafe(self._take, event)

    def _take(self, event: TimelineEvent) -> None:
        self._times[event.name].append(event.at)
        if event.name in _ACTIVITY:
            self.last_activity = max(self.last_activity, self._clock())
        self._changed.set()
