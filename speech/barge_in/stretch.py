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
        self.sure = False
        """One of its frames was certain, or two came one after the other."""
        self._voiced_s = 0.0
        self._changed = float("-inf")
        self._lag_s = 0.0

    def feed(self, frame: Voice, now: float) -> bool:
        """Take the next frame; whether it begins a new stretch.

        Lengths are those of the captured sound: a frame that comes late moves the stretch's
        "now" back by its lateness.
        """
        self._lag_s = max(0.0, now - frame.at)
        at = max(frame.at, self._changed)
        voiced, spoke = self._is_voice(frame), self.speaking
        fresh = self._turn(voiced, at) if voiced != spoke else False
        self.sure |= voiced and (spoke or frame.speech >= self._config.sure)
        return fresh

    def _turn(self, voiced: bool, at: float) -> bool:
        """Voice begins or ends; whether a new stretch does."""
        fresh = voiced and (self.began is None or at - self._changed >= self._config.quiet_s)
        if fresh:
            self.began, self._voiced_s, self.settled, self.sure = at, 0.0, False, False
        elif not voiced:
            self._voiced_s += at - self._changed
        self.speaking, self._changed = voiced, at
        return fresh

    def voiced_s(self, now: float) -> float:
        """Seconds of voice in this stretch, its pauses left out."""
        return self._voiced_s + (self._since_change(now) if self.speaking else 0.0)

    def quiet_s(self, now: float) -> float:
        """Seconds since the last voice; 0 while there is some."""
        return 0.0 if self.speaking else self._since_change(now)

    def trim(self, now: float, keep_s: float) -> None:
        """Count what was voice until now as ``keep_s`` at most."""
        self._voiced_s = min(self.voiced_s(now), keep_s)
        if self.speaking:
            self._changed = max(self._changed, now - self._lag_s)

    def _since_change(self, now: float) -> float:
        return max(0.0, now - self._lag_s - self._changed)

    def _is_voice(self, frame: Voice) -> bool:
        level = self._config.keep if self.speaking else self._config.confident
        return frame.speech >= level and frame.echo <= self._config.echo_at_most
