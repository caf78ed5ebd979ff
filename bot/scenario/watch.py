"""Waiting for what happens on a timeline, without polling and never without an end."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress

from speech.timeline import Timeline, TimelineEvent

_REST_AFTER = ("llm_first_token", "tool_call", "bot_started", "bot_stopped", "interrupt", "error")
"""Any of these answers an ``llm_request``."""

_ACTIVITY = frozenset(
    {"user_started", "user_stopped", "user_text", "llm_request", "llm_first_token", "tool_call"}
    | {"tool_result", "unit_released", "tts_request", "first_chunk", "unit_done"}
    | {"bot_started", "bot_stopped", "interrupt", "error"}
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
    def bot_works(self) -> bool:
        """The model has not answered a request yet, a tool not returned, or the voice not made
        all units.

        A voice slower than speech falls silent inside a unit: that it began is not enough.
        """
        asked = self.last("llm_request")
        thinks = asked > max(self.last(name) for name in _REST_AFTER)
        begun = max(self.last("interrupt"), self.last("user_stopped"))
        units, voiced = (self._count_since(n, begun) for n in ("unit_released", "unit_done"))
        calls, results = (self._count_since(n, begun) for n in ("tool_call", "tool_result"))
        return thinks or units > voiced or calls > results

    def _count_since(self, name: str, since: float) -> int:
        return sum(at >= since for at in self._times[name])

    async def until(self, condition: Callable[[], bool], deadline: float) -> bool:
        """Wait for ``condition``, looked at whenever something happens.

        False when the clock reaches ``deadline`` first.
        """
        while not condition():
            if self._clock() >= deadline:
                return False
            await self._change(deadline)
        return True

    async def until_quiet(self, quiet_s: float, patience_s: float) -> None:
        """Wait until nothing has happened for ``quiet_s`` and the bot is done.

        A bot that is at work but gives no sign for ``patience_s`` is not waited for; one
        that speaks is, however long.
        """
        while True:
            patience = quiet_s
            if self.bot_speaks:
                patience = float("inf")
            elif self.bot_works:
                patience = max(quiet_s, patience_s)
            calm_at = self.last_activity + patience
            if self._clock() >= calm_at:
                return
            await self._change(calm_at)

    async def _change(self, deadline: float) -> None:
        self._changed.clear()
        remaining = deadline - self._clock()
        with suppress(TimeoutError):
            await asyncio.wait_for(
                self._changed.wait(), None if remaining == float("inf") else remaining
            )

    def _on_event(self, event: TimelineEvent) -> None:
        self._loop.call_soon_threadsafe(self._take, event)

    def _take(self, event: TimelineEvent) -> None:
        self._times[event.name].append(event.at)
        if event.name in _ACTIVITY:
            self.last_activity = max(self.last_activity, self._clock())
        self._changed.set()
