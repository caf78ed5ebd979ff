"""What a unit will take, from what the finished ones took."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from statistics import median

from speech.kokoro.planner import FIRST_FRAMES, LONGEST_FRAMES, SpeedModel
from speech.kokoro.streaming import FRAME_RATE_HZ
from speech.scheduler.admission import Work

SHORT_FRAMES = 130
"""1.6 s: shorter units are computed whole with their own statistics, which differ most there."""
_REMEMBERED = 20
_SOUND_S_PER_CHARACTER = 0.07
"""Until the first unit has ended: English, af_heart."""


class Costs:
    """Seconds of work, learned. Shared by all sessions of an engine, taught from any thread."""

    def __init__(self) -> None:
        self.front = SpeedModel(per_frame_s=0.002)
        """Of a front, by its phonemes."""
        self.whole = SpeedModel()
        """Of a unit computed in one go, by its frames."""
        self._lengths: deque[float] = deque(maxlen=_REMEMBERED)
        self._turns: deque[float] = deque(maxlen=_REMEMBERED)
        self._per_character_s = _SOUND_S_PER_CHARACTER

    def learn_length(self, characters: int, sound_s: float) -> None:
        """So many characters were so much sound."""
        if characters > 0 and sound_s > 0:
            self._lengths.append(sound_s / characters)
            self._per_character_s = median(self._lengths)

    def learn_turn(self, sound_s: float) -> None:
        """A whole reply was so much sound."""
        if sound_s > 0:
            self._turns.append(sound_s)

    def sound_s(self, characters: int) -> float:
        """How much sound so many characters will be."""
        return characters * self._per_character_s

    @property
    def turn_s(self) -> float:
        """How much sound a reply has; 0 until one has ended."""
        return median(self._turns) if self._turns else 0.0

    def work(self, characters: int, sound_s: float, chunk: SpeedModel) -> Iterator[Work]:
        """The jobs of a unit: its front, if there are ``characters`` to show, and its sound."""
        if characters:
            yield Work(self.front.seconds(characters), 0.0)
        frames = round(sound_s * FRAME_RATE_HZ)
        if characters and frames <= SHORT_FRAMES:
            yield Work(self.whole.seconds(frames), sound_s)
            return
        size = FIRST_FRAMES if characters else LONGEST_FRAMES
        while frames > 0:
            size = min(size, frames)
            cost_s = chunk.seconds(size + 2 * chunk.context_frames)
            yield Work(cost_s, size / FRAME_RATE_HZ)
            frames, size = frames - size, LONGEST_FRAMES
