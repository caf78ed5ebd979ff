"""How full each queue of a conversation ever was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QueueUse:
    """A queue, and what became of it: ``bound`` and ``high_water`` are in ``unit``.

    ``policy`` says in a few words what happens at the bound; ``dropped`` is what it cost, in
    ``unit`` too. Where the bound is kept between two entries, one entry may stand above it.
    """

    name: str
    unit: str
    bound: float
    policy: str
    high_water: float = 0.0
    dropped: float = 0.0


class QueueGauge:
    """Told how full its queue is; remembers the most."""

    def __init__(self, name: str, *, unit: str, bound: float, policy: str) -> None:
        self._name, self._unit, self._bound, self._policy = name, unit, bound, policy
        self.high_water = 0.0
        self.dropped = 0.0

    def level(self, level: float) -> None:
        """So much is in the queue now."""
        self.high_water = max(self.high_water, level)

    def drop(self, amount: float) -> None:
        """So much was thrown away at the bound."""
        self.dropped += amount

    def use(self) -> QueueUse:
        """What is known by now."""
        return QueueUse(
            self._name,
            self._unit,
            self._bound,
            self._policy,
            round(self.high_water, 3),
            round(self.dropped, 3),
        )


class Queues:
    """Every queue of a conversation, in the order they were told of."""

    def __init__(self) -> None:
        self._reads: dict[str, Callable[[], QueueUse]] = {}

    def watch(self, name: str, *, unit: str, bound: float, policy: str) -> QueueGauge:
        """A gauge to be told of the level. A name told twice is that of the later queue."""
        gauge = QueueGauge(name, unit=unit, bound=bound, policy=policy)
        self.read(name, gauge.use)
        return gauge

    def read(self, name: str, use: Callable[[], QueueUse]) -> None:
        """A queue that counts for itself: ``use`` is asked when the figures are wanted."""
        self._reads[name] = use

    def uses(self) -> list[QueueUse]:
        """The figures as they are now."""
        return [use() for use in self._reads.values()]
