"""What comes for other units, or too early, changes nothing of this one."""

from __future__ import annotations

import numpy as np
import pytest

from speech.engines.remote.incoming import IncomingUnit
from speech.errors import EngineError
from speech.wire import AudioFrame, Cancelled, Done, Error, FrameJoiner, SpokenWord, Started, Words

SAMPLES = np.arange(100, dtype=np.int16)


def begun(unit: int = 2) -> IncomingUnit:
    coming = IncomingUnit("mine", "u2")
    coming.message(Started("u2", unit))
    return coming


def frames(unit: int, count: int) -> list[AudioFrame]:
    joiner = FrameJoiner(unit)
    return [frame for _ in range(count) for frame in joiner.split(SAMPLES)]


def test_the_sound_of_another_unit_is_dropped() -> None:
    early = IncomingUnit("mine", "u2")
    assert early.frame(frames(2, 1)[0]) is None
    coming = begun()
    for frame in frames(1, 2):
        assert coming.frame(frame) is None
    chunks = [coming.frame(frame) for frame in frames(2, 2)]
    assert [chunk.first_sample for chunk in chunks if chunk] == [0, 100]
    coming.message(Done("u2", 0.1, 0.1, 200))
    assert coming.ended


def test_a_word_comes_with_the_sound_that_it_begins_in() -> None:
    coming = begun()
    spoken = (SpokenWord("a", 0, 90), SpokenWord("b", 99, 150), SpokenWord("c", 100, 190))
    coming.message(Words("u1", spoken))
    coming.message(Words("u2", spoken))
    first, second = (coming.frame(frame) for frame in frames(2, 2))
    assert first is not None
    assert second is not None
    assert [word.text for word in first.words] == ["a", "b"]
    assert [word.text for word in second.words] == ["c"]


def test_the_end_of_another_unit_is_none_of_ours() -> None:
    coming = begun()
    for message in (
        Done("u1", 1.0, 1.0, 9), Cancelled("u1", 0.0), Error("synthesis_failed", "", True, "u1"),
        Error("unknown_unit", "", False, "u2"), Error("duplicate_id", "", False, "u2"),
    ):  # fmt: skip
        coming.message(message)
    assert not coming.ended
    with pytest.raises(EngineError, match="synthesis_failed"):
        coming.message(Error("synthesis_failed", "", True, None))
    assert coming.ended
