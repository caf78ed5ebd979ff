"""How long things took, and so how long they will."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from statistics import median

WINDOW = 9
"""Latest waits that count: enough to pass over an odd one, few enough to follow a change."""

MOST_TOOLS = 200
"""Different names that are kept; a model may make names up."""


class WaitTimes:
    """Rolling medians, in seconds: of each tool's calls, and of the model's first words.

    One object may serve all conversations of a process: a call is short, habits are not.
    """

    def __init__(self, window: int = WINDOW) -> None:
        self._tools: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=window))
        self._passes: deque[float] = deque(maxlen=window)

    def note_tool(self, tool: str, seconds: float) -> None:
        """A call took so long."""
        if tool in self._tools or len(self._tools) < MOST_TOOLS:
            self._tools[tool].append(seconds)

    def note_pass(self, seconds: float) -> None:
        """From the request to the model's first unit."""
        self._passes.append(seconds)

    def tools(self, names: Iterable[str]) -> float | None:
        """How long calls that run side by side will take; None where one was never seen."""
        known = [median(self._tools[name]) if name in self._tools else None for name in names]
        times = [seconds for seconds in known if seconds is not None]
        return max(times) if times and len(times) == len(known) else None

    @property
    def llm_pass(self) -> float:
        """0 before the first."""
        return median(self._passes) if self._passes else 0.0
