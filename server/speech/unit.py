"""A unit that a session has still to say, and how each version talks about one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from speech.engine import PacedSession, PcmChunk, SpeechSession
from speech.wire import (
    Busy,
    Cancelled,
    Code,
    Done,
    Error,
    FrameJoiner,
    SpokenWord,
    Started,
    SynthesisComplete,
    SynthesisError,
    SynthesisStart,
    Version0Error,
    WireError,
    Words,
    encode,
    split_bytes,
)
from speech.wire.version0 import RequestId

Why = Literal["queue_full", "capacity", "draining"]


class Unit:
    """Text that has been handed to the engine; ``chunks`` is read once its turn has come.

    ``made`` and ``sent`` count samples at ``sample_rate``. ``ended``: the client has been told.
    """

    def __init__(
        self,
        number: int,
        session: SpeechSession,
        chunks: AsyncIterator[PcmChunk],
        sample_rate: int,
        talk: Talk,
    ) -> None:
        self.number, self.chunks, self.sample_rate, self.talk = number, chunks, sample_rate, talk
        self.session = session
        self.arrived = time.monotonic()
        self.task: asyncio.Task[None] | None = None
        self.cancelled = self.ended = False
        self.outcome = "said"
        self.made = self.sent = 0
        self.synth_s = 0.0

    @property
    def engine_id(self) -> str:
        """Its name at the engine; the client's may come again."""
        return str(self.number)

    @property
    def audio_s(self) -> float:
        return self.sent / self.sample_rate

    @property
    def wasted_s(self) -> float:
        return max(0, self.made - self.sent) / self.sample_rate

    def cancel(self) -> None:
        """Stop its computation at once, and whoever waits for it or for its listener.

        A unit that has ended stays as it is: it has one end.
        """
        if self.ended or self.cancelled:
            return
        self.cancelled = True
        self.session.cancel(self.engine_id)
        if self.task is not None:
            self.task.cancel()


class Talk(Protocol):
    """What is said about a unit in one version of the protocol; an empty text is not sent."""

    def started(self, unit: Unit) -> str: ...

    def words(self, words: tuple[SpokenWord, ...]) -> str: ...

    def frames(self, samples: NDArray[np.int16]) -> Iterator[tuple[bytes, int]]:
        """Binary frames, each with its number of samples."""
        ...

    def done(self, unit: Unit) -> str: ...

    def cancelled(self, unit: Unit) -> str: ...

    def failed(self, code: Code, message: str) -> str: ...

    def busy(self, retry_after_s: float, why: Why) -> str: ...

    def error(self, code: Code, message: str) -> WireError:
        """What to raise for a unit that is not taken."""
        ...


class Talk0:
    """Version 0: a request is known by its id in the control messages, its audio by nothing."""

    def __init__(self, request_id: RequestId) -> None:
        self._request_id = request_id

    def started(self, unit: Unit) -> str:
        return encode(SynthesisStart(self._request_id))

    def words(self, words: tuple[SpokenWord, ...]) -> str:
        return ""

    def frames(self, samples: NDArray[np.int16]) -> Iterator[tuple[bytes, int]]:
        return ((data, len(data) // 2) for data in split_bytes(samples.astype("<i2").tobytes()))

    def done(self, unit: Unit) -> str:
        elapsed_s = time.monotonic() - unit.arrived
        return encode(
            SynthesisComplete(self._request_id, round(unit.audio_s, 3), round(elapsed_s, 3))
        )

    def cancelled(self, unit: Unit) -> str:
        return ""

    def failed(self, code: Code, message: str) -> str:
        return encode(SynthesisError(self._request_id, message))

    def busy(self, retry_after_s: float, why: Why) -> str:
        # what the sibling containers say, and the reference's client looks for
        return encode(SynthesisError(self._request_id, "queue_saturated"))

    def error(self, code: Code, message: str) -> WireError:
        return Version0Error(code, message, self._request_id)


class Talk1:
    """Version 1: see ``speech.wire``."""

    def __init__(self, unit_id: str, number: int) -> None:
        self.unit_id, self._frames = unit_id, FrameJoiner(number)

    def started(self, unit: Unit) -> str:
        return encode(Started(self.unit_id, unit.number))

    def words(self, words: tuple[SpokenWord, ...]) -> str:
        return encode(Words(self.unit_id, words)) if words else ""

    def frames(self, samples: NDArray[np.int16]) -> Iterator[tuple[bytes, int]]:
        return ((frame.pack(), len(frame.samples)) for frame in self._frames.split(samples))

    def done(self, unit: Unit) -> str:
        return encode(Done(self.unit_id, unit.audio_s, unit.synth_s, unit.sent))

    def cancelled(self, unit: Unit) -> str:
        return encode(Cancelled(self.unit_id, unit.wasted_s))

    def failed(self, code: Code, message: str) -> str:
        return encode(Error(code.value, message, code.retryable, self.unit_id))

    def busy(self, retry_after_s: float, why: Why) -> str:
        return encode(Busy(self.unit_id, retry_after_s, why))

    def error(self, code: Code, message: str) -> WireError:
        return WireError(code, message, self.unit_id)


def begin(
    session: SpeechSession, unit_id: str, text: str, deadline_ms: int | None
) -> AsyncIterator[PcmChunk]:
    """The unit's chunks, the engine told by when the first is due. Errors as in ``speak``."""
    if deadline_ms is not None and isinstance(session, PacedSession):
        return session.speak(unit_id, text, first_audio_s=deadline_ms / 1000)
    return session.speak(unit_id, text)
