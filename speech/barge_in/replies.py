"""Which replies live; what comes late of a dead one is dropped and counted."""

from __future__ import annotations

from collections import Counter, OrderedDict

REMEMBERED = 1_024
"""Dead ids that are known: an hour of a reply cut every four seconds. Frames that are late by
more than that are not on their way any more."""


class Replies:
    """The living and the dead, by reply id.

    One thread changes it (the event loop); ``admits`` may be asked in the audio callback. A dead
    id never lives again. An id nobody began is admitted: its beginning may be on its way.
    """

    def __init__(self, remembered: int = REMEMBERED) -> None:
        if remembered < 1:
            raise ValueError("at least one dead reply is remembered")
        self.dropped: Counter[str] = Counter()
        """How many late things of dead replies came, by what they were."""
        self._remembered = remembered
        self._live: dict[str, None] = {}
        self._dead: OrderedDict[str, None] = OrderedDict()

    @property
    def current(self) -> str | None:
        """The first reply that lives; None: there is none."""
        return next(iter(self._live), None)

    @property
    def live(self) -> tuple[str, ...]:
        """In the order in which they began."""
        return tuple(self._live)

    def begin(self, reply_id: str) -> bool:
        """The reply lives, unless it is dead already."""
        if reply_id in self._dead:
            return False
        self._live.setdefault(reply_id)
        return True

    def kill(self, reply_id: str) -> None:
        """Nothing of this reply is admitted any more, begun or not."""
        self._live.pop(reply_id, None)
        self._dead[reply_id] = None
        self._dead.move_to_end(reply_id)
        if len(self._dead) > self._remembered:
            self._dead.popitem(last=False)

    def end(self, reply_id: str) -> None:
        """The reply was heard to its end; it is not dead, only done."""
        self._live.pop(reply_id, None)

    def is_dead(self, reply_id: str) -> bool:
        """Whether the reply was killed."""
        return reply_id in self._dead

    def admits(self, reply_id: str, what: str) -> bool:
        """Whether this piece may pass; if not it is counted. ``what``: audio, text, tool, …"""
        if reply_id not in self._dead:
            return True
        self.dropped[what] += 1
        return False
