"""Text on its way from the model to the voice."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass

from speech.queues import QueueGauge, Queues


@dataclass(frozen=True, slots=True)
class _Piece:
    size: int
    keep: bool
    ready: bool


class Backlog:
    """Pieces of text that wait in the queues between the model and the voice.

    Each is ``put`` where it enters a queue and taken where it leaves it; ``key`` names it. Who
    brings new text waits for ``room`` first: less than ``most`` characters wait then, whatever
    size the piece is. Nothing waits for ever: room comes as pieces are taken, or with ``cut``.
    """

    def __init__(self, most: int, queues: Queues | None = None) -> None:
        self.size = 0
        self._most = most
        self._pieces: dict[Hashable, _Piece] = {}
        self._roomy = asyncio.Event()
        self._roomy.set()
        self._gauge: QueueGauge | None = None
        if queues is not None:
            policy = "the model is read no further; an interruption empties it"
            self._gauge = queues.watch(
                "text for the voice", unit="characters", bound=most, policy=policy
            )

    @property
    def has_ready(self) -> bool:
        """The voice has more to say than what it is saying."""
        return any(piece.ready for piece in self._pieces.values())

    def put(self, key: Hashable, size: int, *, keep: bool = False, ready: bool = False) -> None:
        """The piece waits. ``keep``: also after an interruption; ``ready``: for the voice."""
        self._pieces[key] = _Piece(size, keep, ready)
        self._count()
        if self._gauge is not None:
            self._gauge.level(self.size)

    def take(self, key: Hashable) -> None:
        """It waits no longer; of one that does not wait nothing follows."""
        if self._pieces.pop(key, None) is not None:
            self._count()

    def cut(self) -> None:
        """Interrupted: the queues drop what they need not keep."""
        self._pieces = {key: piece for key, piece in self._pieces.items() if piece.keep}
        self._count()

    async def room(self) -> None:
        """Wait until less than ``most`` waits."""
        await self._roomy.wait()

    def _count(self) -> None:
        self.size = sum(piece.size for piece in self._pieces.values())
        if self.size < self._most:
            self._roomy.set()
        else:
            self._roomy.clear()
