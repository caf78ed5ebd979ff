"""A stretch of the user's voice: how long, and how long over."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig
from speech.barge_in.events import Voice


class Stretch:
    """Frames to voice: begins at a confident frame, goes on over pauses below ``quiet_s``."""

    def __init__(self, config: BargeInConfig) -> None:
        self._config = config
        self.began: float | None = None
        self.speaking = False
        self.settled = False
        """Decided upon: only words may decide anew."""
        self._voiced_s = 0.0
        self._changed = float("-inf")

    def feed(self, frame: Voice) -> bool:
        """Take the next frame; whether it begins a new stretch."""
        at = max(frame.at, self._changed)
        voiced = self._is_voice(frame)
        if voiced == self.speaking:
            return False
        fresh = voiced and (self.began is None or self.quiet_s(at) >= self._config.quiet_s)
        if fresh:
            self.began, self._voiced_s, self.settled = at, 0.0, False
        elif not voiced:
            self._voiced_s = self.voiced_s(at)
        self.speaking, self._changed = voiced, at
        return fresh

    def voiced_s(self, now: float) -> float:
        """Seconds of voice in this stretch, its pauses left out."""
        return self._voiced_s + (max(0.0, now - self._changed) if self.speaking else 0.0)

    def quiet_s(self, now: float) -> float:
        """Seconds since the last voice; 0 while there is some."""
        return 0.0 if self.speaking else max(0.0, now - self._changed)

    def _is_voice(self, frame: Voice) -> bool:
        level = self._config.keep if self.speaking else self._config.confident
        return frame.speech >= level and frame.echo <= self._config.echo_at_most
