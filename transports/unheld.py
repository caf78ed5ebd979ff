"""For transports whose sound cannot be held: the interruption frame alone does it."""

from __future__ import annotations


class UnheldSpeaker:
    """A ``Speaker`` that leaves everything to the transport's own handling of interruptions."""

    def duck(self, reply_id: str) -> None:
        """The sound goes on until it is decided."""

    def resume(self) -> None:
        """Nothing was held."""

    def cut(self, reply_id: str) -> None:
        """The interruption frame, which follows, empties the transport's queue."""
