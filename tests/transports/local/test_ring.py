"""The ring plays every sample once, in order, or drops it knowingly; never more than its bound."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transports.local.ring import PlaybackRing

_push = st.tuples(st.just("push"), st.integers(0, 30), st.booleans())
_pull = st.tuples(st.just("pull"), st.integers(0, 30), st.just(False))
_clear = st.tuples(st.just("clear"), st.just(0), st.booleans())


@given(st.integers(1, 40), st.lists(st.one_of(_push, _pull, _clear), max_size=60))
def test_it_behaves_like_a_list(capacity: int, steps: list[tuple[str, int, bool]]) -> None:
    ring = PlaybackRing(capacity)
    model: list[tuple[int, bool]] = []
    number = 0
    for action, size, flag in steps:
        if action == "push":
            samples = np.arange(number + 1, number + size + 1, dtype=np.int16)
            taken = ring.push(samples, interruptible=flag)
            assert taken == min(size, capacity - len(model))
            model += [(int(sample), flag) for sample in samples[:taken]]
            number += taken
        elif action == "pull":
            out = np.full(size, -1, np.int16)
            count = ring.pull(out).taken
            assert list(out) == [s for s, _ in model[:size]] + [0] * (size - count)
            model = model[count:]
        else:
            kept = [entry for entry in model if not (flag or entry[1])]
            assert ring.clear(everything=flag) == (len(model) - len(kept), 0)
            model = kept
        assert ring.held == len(model) <= capacity
        assert ring.free == capacity - ring.held
        assert ring.pushed == ring.pulled + ring.dropped + ring.held
    assert ring.high_water <= capacity


def test_a_tag_comes_back_where_its_first_sample_is_played() -> None:
    ring = PlaybackRing(100)
    ring.push(np.ones(30, np.int16), tag="first")
    ring.push(np.ones(30, np.int16), tag="second")
    assert ring.pull(np.zeros(20, np.int16)).tags == (("first", 0),)
    assert ring.pull(np.zeros(20, np.int16)).tags == (("second", 10),)
    assert ring.pull(np.zeros(20, np.int16)).tags == ()


def test_a_dropped_tag_never_comes_back() -> None:
    ring = PlaybackRing(100)
    ring.push(np.ones(30, np.int16), tag="cut")
    ring.clear()
    assert ring.pull(np.zeros(50, np.int16)) == (0, ())


GAINS = np.array([0.5, 0.25, 0.0])


@pytest.mark.parametrize(
    ("pieces", "left", "cleared"),
    [
        ([(5, True)], [50, 25, 0], (2, 3)),
        ([(2, True)], [50, 25], (0, 2)),
        ([(1, True), (1, True), (4, True)], [50, 25, 0], (3, 3)),
        ([(2, True), (2, False)], [50, 25, 100, 100], (0, 2)),
        ([(4, True), (2, False), (2, True)], [50, 25, 0, 100, 100], (3, 3)),
        ([(2, False), (4, True)], [100, 100], (4, 0)),
        ([], [], (0, 0)),
    ],
)
def test_what_comes_next_fades_and_the_rest_is_dropped(
    pieces: list[tuple[int, bool]], left: list[int], cleared: tuple[int, int]
) -> None:
    ring = PlaybackRing(100)
    for size, interruptible in pieces:
        ring.push(np.full(size, 100, np.int16), interruptible=interruptible)
    assert ring.clear(GAINS) == cleared
    out = np.zeros(20, np.int16)
    assert ring.pull(out).taken == len(left)
    assert list(out[: len(left)]) == left


def test_the_callers_array_may_change_afterwards() -> None:
    ring = PlaybackRing(4)
    samples = np.array([1, 2, 3, 4], np.int16)
    ring.push(samples)
    samples[:] = 9
    out = np.zeros(4, np.int16)
    ring.pull(out)
    assert list(out) == [1, 2, 3, 4]


def test_two_threads_lose_and_repeat_nothing() -> None:
    ring, total = PlaybackRing(64), 20_000
    got: list[int] = []

    def read() -> None:
        out = np.zeros(48, np.int16)
        while len(got) < total:
            got.extend(out[: ring.pull(out).taken].tolist())

    reader = threading.Thread(target=read)
    reader.start()
    rest = np.arange(total, dtype=np.int16)
    while rest.size:
        rest = rest[ring.push(rest[:50]) :]
    reader.join()
    assert got == list(range(total))


def test_a_ring_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        PlaybackRing(0)
