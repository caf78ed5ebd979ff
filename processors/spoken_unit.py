"""A unit's sound and words as frames, in the order they are heard."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from pipecat.frames.frames import Frame, TTSAudioRawFrame, TTSTextFrame

from speech.engine import PcmChunk, Word
from speech.kokoro.markup import as_read
from speech.word_spans import WordSpans


class SpokenUnit:
    """Each word's text follows the samples it ends in; ``word`` makes a frame of it."""

    def __init__(
        self, text: str, context_id: str, sample_rate: int, word: Callable[[str, str], TTSTextFrame]
    ) -> None:
        self._context_id, self._sample_rate, self._word = context_id, sample_rate, word
        self._spans = WordSpans(as_read(text))
        self._pending: deque[Word] = deque()
        self.sounded = False

    def take(self, chunk: PcmChunk) -> Iterator[Frame]:
        """The chunk's audio, cut where a word ends, each with its text behind it."""
        self.sounded = True
        self._pending.extend(chunk.words)
        done, stop = 0, len(chunk.samples)
        while self._pending and self._pending[0].end <= chunk.first_sample + stop:
            word = self._pending.popleft()
            cut = max(done, word.end - chunk.first_sample)
            if cut > done:
                yield self._audio(chunk, done, cut)
            done = cut
            # A unit's last piece is ``rest``, for whoever knows that the unit ends.
            if piece := self._spans.take(word.text):
                yield self._word(piece, self._context_id)
        if done < stop:
            yield self._audio(chunk, done, stop)

    def rest(self) -> str:
        """The text that no word has brought yet; it is then taken for said."""
        return self._spans.rest()

    def _audio(self, chunk: PcmChunk, start: int, stop: int) -> Frame:
        pcm = chunk.samples[start:stop].tobytes()
        return TTSAudioRawFrame(pcm, self._sample_rate, 1, context_id=self._context_id)
