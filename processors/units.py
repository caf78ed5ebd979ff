"""Tokens to units: sentences as pipecat finds them, and what is too long or late for one."""

from __future__ import annotations

import asyncio
import re

from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMTextFrame,
)
from pipecat.processors.aggregators.llm_text_processor import LLMTextProcessor
from pipecat.processors.frame_processor import FrameDirection
from pipecat.utils.text.base_text_aggregator import Aggregation, TextType
from pipecat.utils.text.simple_text_aggregator import SimpleTextAggregator

LONGEST_CHARS = 250
"""About 15 s of speech. More without a sentence's end is cut, so that an answer without a full
stop is heard while it is written; it also bounds what pipecat searches for an end."""

LEAST_CHARS = 80
"""A clause shorter than this is no place for such a cut: it would sound chopped."""

PAUSE_S = 1.5
"""A model that pauses for so long in mid-sentence is heard up to there."""

FEW_WORDS = 4
"""Fewer are not worth a unit: their melody would be that of a whole sentence."""

_CLAUSE_END = re.compile(r"[,:–—)\]\"”](?=\s)|\n")
_WORD_END = re.compile(r"\s")


class UnitAggregator(SimpleTextAggregator):
    """Pipecat's sentences; at most ``LONGEST_CHARS`` wait for a sentence's end.

    What is longer is cut behind its last clause, else its last word, else where it stands.
    Nothing is added, lost or changed but the blanks around a unit.
    """

    async def _check_sentence_with_lookahead(
        self, char: str, *, protected_end: int = 0
    ) -> Aggregation | None:
        unit = await super()._check_sentence_with_lookahead(char, protected_end=protected_end)
        if unit is None and len(self._text) > LONGEST_CHARS:
            return self._cut_at(_last(_CLAUSE_END, self._text, LEAST_CHARS) or self._word_end())
        return unit

    def cut(self) -> Aggregation | None:
        """What waits, up to its last whole word; None where that is too little."""
        end = self._word_end(otherwise=0)
        return self._cut_at(end) if len(self._text[:end].split()) >= FEW_WORDS else None

    def _word_end(self, otherwise: int | None = None) -> int:
        found = _last(_WORD_END, self._text, 1)
        return found or (len(self._text) if otherwise is None else otherwise)

    def _cut_at(self, end: int) -> Aggregation | None:
        unit, self._text = self._text[:end].strip(" "), self._text[end:]
        return Aggregation(unit, TextType.SENTENCE) if unit else None


def _last(pattern: re.Pattern[str], text: str, least: int) -> int:
    """Where the last match ends that ends at ``least`` or later; 0 for none."""
    return max((m.end() for m in pattern.finditer(text) if m.end() >= least), default=0)


class Units(LLMTextProcessor):
    """Tokens to units; what waits when the model pauses is spoken after ``pause_s``."""

    def __init__(self, pause_s: float = PAUSE_S) -> None:
        self._units = UnitAggregator()
        super().__init__(text_aggregator=self._units)
        self._pause_s = pause_s
        self._alarm: asyncio.TimerHandle | None = None
        self._speaking: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """As pipecat's, with a look at the time since the last token."""
        if isinstance(frame, InterruptionFrame | LLMFullResponseEndFrame | EndFrame | CancelFrame):
            await self._rest()
        elif isinstance(frame, LLMTextFrame) and frame.text.strip():
            await self._rest()
            self._alarm = asyncio.get_running_loop().call_later(self._pause_s, self._ring, frame)
        await super().process_frame(frame, direction)

    async def cleanup(self) -> None:
        """Forget the pause."""
        await self._rest()
        await super().cleanup()

    async def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._speaking is not None:
            speaking, self._speaking = self._speaking, None
            await speaking  # it only hands a frame on; text must not overtake it

    def _ring(self, token: LLMTextFrame) -> None:
        self._alarm = None
        self._speaking = self.create_task(self._speak_waiting(token), name="unit after a pause")

    async def _speak_waiting(self, token: LLMTextFrame) -> None:
        unit = self._units.cut()
        frame = await self._aggregated_text_frame(unit) if unit else None
        if frame:
            frame.append_to_context = True
            frame.skip_tts = token.skip_tts
            await self.push_frame(frame)
