"""Tokens to units."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType

from speech.backlog import Backlog
from speech.evidence.markers import MarkerParser, Piece
from speech.units import Unit, UnitKind, UnitSplitter
from speech.units.release import Release, ReleaseRules

CLAIMS = "evidence"
"""Key of a unit's ``metadata``: the names of the claims its words rest on, where there are any."""
GAP = "gap"
"""Key of a unit's ``metadata``: the white space written behind it, as far as it had come."""
BEFORE = "before"
"""Key of a unit's ``metadata``: white space in front of it that came too late for ``GAP``."""
UNIT = "unit"
"""Key of ``metadata`` on the words of a unit that were spoken: the id of the unit's frame."""
UNSPOKEN = "unspoken"
"""Text type of code and of marks that found no word: for the record, not for the voice."""

LOOK_AGAIN_S = 0.5
"""While whole units wait for the voice a pause costs nothing; a tenth of what they last."""


class UnitAggregator(FrameProcessor):
    """Between the model and the voice: its tokens become ``AggregatedTextFrame``s, a unit each.

    A unit's text is trimmed. The white space behind it is its ``metadata["gap"]``, and what
    of it came when the unit had left is the next one's ``metadata["before"]``: the record keeps
    the writer's spacing. Code and lone marks go as frames with ``skip_tts``. Where the claims
    change that the words rest on, the unit ends, and ``metadata["evidence"]`` names them.
    An interruption drops what waits; ``Release`` decides when a part of a sentence may go.
    """

    def __init__(
        self,
        *,
        lang: str = "en",
        longest: int = 250,
        rules: ReleaseRules | None = None,
        clock: Callable[[], float] | None = None,
        claims: MarkerParser | None = None,
        backlog: Backlog | None = None,
    ) -> None:
        """``backlog`` is told of each token that waits no longer."""
        super().__init__()
        self._splitter = UnitSplitter(lang, longest=longest)
        self._loop_clock = clock
        self._release = Release(rules or ReleaseRules(), self._now)
        self._claims = claims
        self._backlog = backlog
        self._names: frozenset[str] = frozenset()
        self._skip_tts: bool | None = None
        self._is_open = False  # a reply has begun and not ended
        self._gap: str | None = None  # recorded behind the last unit; None before the first
        self._alarm: asyncio.TimerHandle | None = None
        self._speaking: asyncio.Task[None] | None = None

    async def cleanup(self) -> None:
        """Forget the pause."""
        await self._rest()
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Text becomes units; every other frame passes, behind the units before it."""
        await super().process_frame(frame, direction)
        match frame:
            case LLMTextFrame():
                await self._rest()
                await self._take(frame)
                if self._backlog is not None:
                    self._backlog.take(frame.id)  # now its units wait in its place
                return
            case InterruptionFrame() | CancelFrame():
                await self._rest()
                self._drop()
            case LLMFullResponseStartFrame():
                self._release.begin()
                self._is_open = True
            case LLMFullResponseEndFrame():
                await self._rest()
                await self._finish()
            case EndFrame():
                await self._rest()
                was_open = self._is_open
                await self._finish()
                if was_open:  # pipecat's voice would wait for the reply's end
                    await self.push_frame(LLMFullResponseEndFrame())
            case BotStoppedSpeakingFrame():
                self._release.silent()
        await self.push_frame(frame, direction)

    async def _take(self, frame: LLMTextFrame) -> None:
        if frame.skip_tts != self._skip_tts:
            await self._push_units(self._splitter.end_unit())
            self._skip_tts = frame.skip_tts
        self._release.came(frame.text)
        if self._claims is None:
            await self._push_units(self._splitter.feed(frame.text))
        else:
            await self._take_pieces(self._claims.push(frame.text))
        if frame.skip_tts:
            return
        busy = self._release.speaking or self._units_wait
        clause = self._splitter.safe_clause() if not busy else ""
        if clause and self._release.wants_clause(self._splitter.pending, clause):
            await self._push_clause(whole=True)
        self._arm()

    async def _take_pieces(self, pieces: Iterable[Piece]) -> None:
        """A unit does not reach across a change of what its words rest on."""
        for piece in pieces:
            if piece.names != self._names:
                await self._push_units(self._splitter.end_unit())
                self._names = piece.names
            await self._push_units(self._splitter.feed(piece.text))

    async def _finish(self) -> None:
        if self._claims is not None:
            await self._take_pieces(self._claims.flush())
        units = self._splitter.finish()
        await self._push_units(units, end=" ")
        if not units and self._gap == "":  # the last unit left before it was known to be that
            silent = Unit("", 0, 0, UnitKind.SILENT, "")
            await self.push_frame(self._frame(silent, "", " "))
        self._names = frozenset()
        self._gap = None
        self._is_open = False

    def _drop(self) -> None:
        self._splitter.finish()
        if self._claims is not None:
            self._claims.reset()
        self._names = frozenset()
        self._gap = None
        self._is_open = False
        self._release.begin()
        self._release.silent()

    async def _push_clause(self, *, whole: bool) -> None:
        clause = self._splitter.take_clause(whole=whole)
        if clause is not None:
            await self._push_units([clause])

    async def _push_units(self, units: Sequence[Unit], *, end: str = "") -> None:
        """``end`` is recorded behind the last one where nothing follows it."""
        if not units:
            return
        behind = [unit.written for unit in units[1:]] + [self._splitter.pending or end]
        for unit, following in zip(units, behind, strict=True):
            if unit.written.strip():
                before = "" if self._gap is None else _blank(unit.written)[len(self._gap) :]
                self._gap = _blank(following)
                behind_it = unit.written[len(unit.written.rstrip()) :]
                await self.push_frame(self._frame(unit, before, behind_it + self._gap))

    def _frame(self, unit: Unit, before: str, gap: str) -> AggregatedTextFrame:
        if unit.kind is UnitKind.SPOKEN:
            frame = AggregatedTextFrame(unit.text, TextType.SENTENCE)
            frame.skip_tts = self._skip_tts
            frame.metadata |= {BEFORE: before, GAP: gap} if before else {GAP: gap}
            if not self._skip_tts:
                self._release.left(unit.text)
        else:
            frame = AggregatedTextFrame(before + unit.written.strip() + gap, UNSPOKEN)
            frame.skip_tts = True
            frame.includes_inter_frame_spaces = True
        frame.append_to_context = True
        if self._names:
            frame.metadata[CLAIMS] = sorted(self._names)
        return frame

    def _arm(self) -> None:
        """Wake when the pause after this text has become too long."""
        due = self._release.stalled_at
        if due is not None and self._splitter.pending.strip():
            delay = max(0.0, due - self._now())
            self._alarm = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        if self._units_wait:  # it is not the model that pauses: it is not read
            loop = asyncio.get_running_loop()
            self._alarm = loop.call_later(LOOK_AGAIN_S, self._ring)
            return
        self._alarm = None
        self._speaking = self.create_task(self._push_clause(whole=False), name="unit after a pause")

    @property
    def _units_wait(self) -> bool:
        return self._backlog is not None and self._backlog.has_ready

    async def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self._speaking is not None:
            speaking, self._speaking = self._speaking, None
            await speaking  # it only hands a frame on; text must not overtake it

    def _now(self) -> float:
        clock = self._loop_clock or asyncio.get_running_loop().time
        return clock()


def _blank(text: str) -> str:
    """The white space in front of the text."""
    return text[: len(text) - len(text.lstrip())]
