"""How much of what was handed to the device has been heard."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

_BLOCKS = 256
"""5 s of 20 ms blocks: more than a device ever holds."""

_REPLIES = 64
"""Whoever asks about a reply does so while it plays or soon after."""


class _Block(NamedTuple):
    audible_at: float
    before_s: float
    sound_s: float


class _Reply(NamedTuple):
    reply_id: str
    start_s: float


class PlayClock:
    """Maps a time to the seconds of *our* sound heard by then; silence in holes is not counted.

    Fed by the output callback with what each block held and when the device will play it.
    Fed and cut from any thread; a reader works on a copy.
    """

    def __init__(self) -> None:
        self.handed_s = 0.0
        self._lock = threading.Lock()
        self._blocks: deque[_Block] = deque(maxlen=_BLOCKS)
        self._replies: deque[_Reply] = deque(maxlen=_REPLIES)

    def note(
        self, audible_at: float, sound_s: float, begins: Iterable[tuple[str, float]] = ()
    ) -> None:
        """A block begins to sound at ``audible_at`` and starts with ``sound_s`` of our sound.

        ``begins``: replies that begin in it, and how far into the block.
        """
        if sound_s <= 0:
            return
        with self._lock:
            self._replies.extend(_Reply(name, self.handed_s + offset) for name, offset in begins)
            self._blocks.append(_Block(audible_at, self.handed_s, sound_s))
            self.handed_s += sound_s

    def played_s(self, now: float) -> float:
        """Seconds of our sound heard at ``now``, on the clock of ``audible_at``."""
        played = 0.0
        for block in tuple(self._blocks):
            if now <= block.audible_at:
                return played or block.before_s
            played = block.before_s + min(block.sound_s, now - block.audible_at)
        return played

    def reply_played_s(self, reply_id: str, now: float) -> float:
        """The same of one reply; 0 before it begins and for an unknown one."""
        replies = tuple(self._replies)
        played = self.played_s(now)
        starts = [reply.start_s for reply in replies] + [played]
        return sum(
            max(0.0, min(played, starts[number]) - reply.start_s)
            for number, reply in enumerate(replies, 1)
            if reply.reply_id == reply_id
        )

    def cut(self, now: float) -> float:
        """What was handed over and not heard by ``now`` never will be; its seconds."""
        with self._lock:
            before, self.handed_s = self.handed_s, self.played_s(now)
            heard = [block for block in tuple(self._blocks) if block.audible_at < now]
            if heard:
                last = heard[-1]
                heard[-1] = last._replace(sound_s=self.handed_s - last.before_s)
            self._blocks = deque(heard, maxlen=_BLOCKS)
            return before - self.handed_s

    @property
    def silent_at(self) -> float:
        """When the last of our sound has been heard; 0 before there was any."""
        if not self._blocks:
            return 0.0
        last = self._blocks[-1]
        return last.audible_at + last.sound_s
