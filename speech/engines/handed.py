"""What of a unit its listener has been given, to the word."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from speech.engine import PcmChunk, Word
from speech.kokoro.markup import MARKUP, blanked
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

    def left_s(self) -> float:
        """Seconds left to hear."""
        return max(0.0, self._end_s - self._clock())

    def cut(self) -> None:
        """What was handed on will not be heard."""
        self._end_s = 0.0


class Handed:
    """Hands a unit's chunks on up to the last word that is whole, and knows the text behind it.

    So an engine that fails has been heard up to the end of a word, and another may go on with
    the next. The word that is cut off by a chunk's end waits for the rest of it, but not the
    unit's first sound, and no longer than the listener has something to hear.

    ``playout`` is told of what is handed on, at ``rate_hz``.
    """

    def __init__(self, text: str, rate_hz: int, playout: Playout) -> None:
        self._text, self._rate_hz, self._playout = text, rate_hz, playout
        self._held: list[PcmChunk] = []
        self._words: list[Word] = []
        self.samples = 0
        """Handed on so far."""

    @property
    def holds(self) -> bool:
        """Whether the beginning of a word waits."""
        return bool(self._held)

    def take(self, chunk: PcmChunk) -> list[PcmChunk]:
        """What may be handed on now that ``chunk`` has come."""
        self._held.append(chunk)
        end = chunk.first_sample + len(chunk.samples)
        waiting = [word for held in self._held for word in held.words]
        cut_off = next((word.start for word in waiting if word.end > end), end)
        late = self._playout.left_s() <= DRY_MARGIN_S and cut_off <= self.samples
        return self._hand_on(end if late else cut_off)

    def release(self) -> list[PcmChunk]:
        """All that waits."""
        return self._hand_on(max((c.first_sample + len(c.samples) for c in self._held), default=0))

    def rest(self) -> str:
        """The text from the first word that was not handed on whole.

        All of it where no word is known to have been: without word times a unit counts whole.
        """
        plain = blanked(self._text)
        spans = WordSpans(plain)
        for word in self._words:
            if word.end <= self.samples:
                spans.take(word.text)
        cut = len(plain) - len(spans.rest())
        return self._text[_outside(self._text, cut) :]

    def begun(self) -> Word | None:
        """The word whose beginning was handed on, and not its end."""
        return next((word for word in self._words if word.end > self.samples), None)

    def _hand_on(self, stop: int) -> list[PcmChunk]:
        """The chunks up to this sample of the unit; the rest of the last one is kept."""
        held, self._held = self._held, []
        done = []
        for before, after in (_parted(chunk, stop) for chunk in held):
            if len(before.samples):
                done.append(before)
                self.samples += len(before.samples)
                self._words += before.words
            if len(after.samples):
                self._held.append(after)
        self._playout.add(sum(len(chunk.samples) for chunk in done) / self._rate_hz)
        return done


def continued(chunk: PcmChunk, offset: int, begun: Word | None) -> PcmChunk:
    """A chunk of the engine that goes on, as one of the whole unit.

    ``begun`` is a word that was reported already: it is said again from its start, and not
    reported twice.
    """
    words = [Word(word.text, word.start + offset, word.end + offset) for word in chunk.words]
    if begun and words and words[0].text == begun.text:
        del words[0]
    return replace(chunk, first_sample=chunk.first_sample + offset, words=tuple(words))


def _parted(chunk: PcmChunk, stop: int) -> tuple[PcmChunk, PcmChunk]:
    at = min(max(stop - chunk.first_sample, 0), len(chunk.samples))
    border = chunk.first_sample + at
    before = tuple(word for word in chunk.words if word.start < border)
    after = tuple(word for word in chunk.words if word.start >= border)
    return (
        replace(chunk, samples=chunk.samples[:at], words=before),
        replace(chunk, first_sample=border, samples=chunk.samples[at:], words=after),
    )


def _outside(text: str, cut: int) -> int:
    """Where to part the text so that no markup is parted: before it, or behind its label."""
    for start, stop, label in _marked(text):
        if start < cut < stop:
            return start if cut <= label else stop
    return cut


def _marked(text: str) -> Iterator[tuple[int, int, int]]:
    for match in MARKUP.finditer(text):
        label = match.start("label") if match["label"] is not None else match.start()
        yield match.start(), match.end(), label
