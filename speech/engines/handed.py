"""What of a unit its listener has been given, to the word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from speech.engine import PcmChunk, Word
from speech.kokoro.markup import blanked, outside_markup
from speech.word_spans import WordSpans

DRY_MARGIN_S = 0.1
"""The begun word is handed on when no more than this is left to hear."""


class Playout:
    """What a session's listener has left to hear, if all is heard as soon as it is handed on."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._end_s = clock, 0.0

    def add(self, seconds: float) -> None:
        """So much more was handed on."""
        self._end_s = max(self._end_s, self._clock()) + seconds

    def plays(self, ahead_s: float) -> None:
        """At least so much is left to hear: the listener began late, or has paused."""
        self._end_s = max(self._end_s, self._clock() + ahead_s)

    def left_s(self) -> float:
        """Seconds left to hear."""
        return max(0.0, self._end_s - self._clock())

    def cut(self) -> None:
        """What was handed on will not be heard."""
        self._end_s = 0.0


class Handed:
    """Hands a unit's chunks on up to the last word that is whole, and knows the text behind it.

    So an engine that fails has been heard up to the end of a word, and the next attempt goes on
    with the word after it. The word that is cut off by a chunk's end waits for the rest of it,
    but not the unit's first sound, and no longer than the listener has something to hear.

    ``playout`` is told of what is handed on, at ``rate_hz``.
    """

    def __init__(self, text: str, rate_hz: int, playout: Playout) -> None:
        self._text, self._rate_hz, self._playout = text, rate_hz, playout
        self._held: list[PcmChunk] = []
        self._words: list[Word] = []
        self._offset = 0
        self._begun: Word | None = None
        self.samples = 0
        """Handed on so far."""

    @property
    def holds(self) -> bool:
        """Whether the beginning of a word waits."""
        return bool(self._held)

    @property
    def timed(self) -> bool:
        """Whether a word is known to have been handed on, or begun."""
        return bool(self._words) or self._begun is not None

    def due_s(self) -> float:
        """Seconds until what waits is missed."""
        return max(0.0, self._playout.left_s() - DRY_MARGIN_S)

    def take(self, chunk: PcmChunk) -> list[PcmChunk]:
        """What may be handed on now that ``chunk`` has come."""
        self._held.append(self._placed(chunk))
        end = self._end_held()
        waiting = [word for held in self._held for word in held.words]
        cut_off = next((word.start for word in waiting if word.end > end), end)
        late = self._playout.left_s() <= DRY_MARGIN_S and cut_off <= self.samples
        return self._hand_on(end if late else cut_off)

    def take_all(self, chunk: PcmChunk) -> list[PcmChunk]:
        """As ``take``, and nothing waits."""
        self._held.append(self._placed(chunk))
        return self.release()

    def release(self) -> list[PcmChunk]:
        """All that waits."""
        return self._hand_on(self._end_held())

    def go_on(self) -> str:
        """The text that is still to be said, for another attempt; what waits is dropped.

        It begins with the first word that was not handed on whole. All of the text where no
        word is known to have been: without word times a unit counts whole. The chunks taken
        from now on are those of that text.
        """
        self._held.clear()
        self._offset = self.samples
        whole = [word for word in self._words if word.end <= self.samples]
        if len(whole) < len(self._words):
            self._begun = self._words[len(whole)]
        self._words = whole
        spans = WordSpans(blanked(self._text))
        for word in whole:
            spans.take(word.text)
        cut = len(self._text) - len(spans.rest())
        return self._text[outside_markup(self._text, cut) :]

    def _placed(self, chunk: PcmChunk) -> PcmChunk:
        by = self._offset
        words = tuple(Word(word.text, word.start + by, word.end + by) for word in chunk.words)
        return replace(chunk, first_sample=chunk.first_sample + by, words=words)

    def _end_held(self) -> int:
        last = self._held[-1:]
        return last[0].first_sample + len(last[0].samples) if last else self.samples

    def _hand_on(self, stop: int) -> list[PcmChunk]:
        """The chunks up to this sample of the unit; the rest of the last one is kept."""
        held, self._held = self._held, []
        done = []
        for before, after in (_parted(chunk, stop) for chunk in held):
            if len(before.samples):
                done.append(self._reported(before))
                self.samples += len(before.samples)
                self._words += before.words
            if len(after.samples):
                self._held.append(after)
        self._playout.add(sum(len(chunk.samples) for chunk in done) / self._rate_hz)
        return done

    def _reported(self, chunk: PcmChunk) -> PcmChunk:
        """Without the word that was reported when it was begun, and is said from its start."""
        begun = self._begun
        if begun is None or not chunk.words:
            return chunk
        self._begun = None
        again = chunk.words[0].text == begun.text
        return replace(chunk, words=chunk.words[1:]) if again else chunk


def _parted(chunk: PcmChunk, stop: int) -> tuple[PcmChunk, PcmChunk]:
    at = min(max(stop - chunk.first_sample, 0), len(chunk.samples))
    border = chunk.first_sample + at
    before = tuple(word for word in chunk.words if word.start < border)
    after = tuple(word for word in chunk.words if word.start >= border)
    return (
        replace(chunk, samples=chunk.samples[:at], words=before),
        replace(chunk, first_sample=border, samples=chunk.samples[at:], words=after),
    )
