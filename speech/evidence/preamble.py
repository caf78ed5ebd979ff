"""When a wait is bridged, and with which words."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from speech.evidence.rules import Policy, Rules
from speech.evidence.waits import WaitTimes

GRACE_S = 0.25
"""Before a preamble whose need is foreseen: an answer that comes at once cancels it, and a
preamble on the heels of the user's last word sounds like none of a person's."""


class Choice:
    """One of several texts, never the same twice in a row where there are two."""

    def __init__(self, texts: Sequence[str], rng: random.Random) -> None:
        self._texts = [text for text in dict.fromkeys(texts) if text.strip()]
        self._last: str | None = None
        self._rng = rng

    def next(self) -> str:
        """Empty where there is none."""
        others = [text for text in self._texts if text != self._last] or self._texts
        self._last = self._rng.choice(others) if others else ""
        return self._last


class Bridge:
    """Decides when the silence of a wait needs words.

    A wait runs from ``begin`` to ``end``. Its silence begins with it, or when the bot has
    finished what it was saying. Foreseen to exceed ``preamble_after_s`` it is bridged after
    ``GRACE_S``; not foreseen, or foreseen wrongly, when it has lasted that long.
    """

    def __init__(self, rules: Rules, waits: WaitTimes, clock: Callable[[], float]) -> None:
        self._rules = rules
        self._waits = waits
        self._clock = clock
        self._begun: float | None = None
        self._answered_at: float | None = None
        self._quiet_at = clock()
        self._on_the_way = False
        self._sounding = False

    def begin(self, tools: Sequence[str], *, held: bool) -> None:
        """Calls run. ``held``: words wait for them; else the model is asked first."""
        if self._rules.policy != Policy.HOLD_WITH_PREAMBLE or self._begun is not None:
            return
        self._begun = self._clock()
        foreseen = self._waits.tools(tools)
        if foreseen is None:
            self._answered_at = None
        else:
            self._answered_at = self._begun + foreseen + (0.0 if held else self._waits.llm_pass)

    def end(self) -> None:
        """The answer has come, or nobody waits for it any more."""
        self._begun = self._answered_at = None

    def released(self) -> None:
        """Words are on their way to the listener."""
        self._on_the_way = True

    def started(self) -> None:
        """The bot is heard."""
        self._sounding = True

    def stopped(self) -> None:
        """The bot is silent; said twice, the first time counts."""
        if self._on_the_way or self._sounding:
            self._quiet_at = self._clock()
        self._on_the_way = self._sounding = False

    @property
    def due(self) -> float | None:
        """When the wait is to be bridged, if it lasts till then."""
        if self._begun is None or self._on_the_way or self._sounding:
            return None
        quiet = max(self._begun, self._quiet_at)
        left = 0.0 if self._answered_at is None else self._answered_at - quiet
        after = self._rules.preamble_after_s
        return quiet + (min(GRACE_S, after) if left > after else after)
