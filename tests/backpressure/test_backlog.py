"""Guards: text that waits for the voice is counted exactly, and room comes as it leaves."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.backlog import Backlog
from speech.queues import Queues

MOST = 100

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.integers(0, 9), st.integers(0, 150), st.booleans()),
        st.tuples(st.just("take"), st.integers(0, 9), st.just(0), st.booleans()),
        st.tuples(st.just("cut"), st.just(0), st.just(0), st.booleans()),
    ),
    max_size=50,
)


def has_room(backlog: Backlog) -> bool:
    room = backlog.room()
    try:
        room.send(None)
    except StopIteration:
        return True
    room.close()
    return False


@settings(deadline=None)
@given(STEPS)
async def test_the_size_is_that_of_the_pieces_that_wait(
    steps: list[tuple[str, int, int, bool]],
) -> None:
    backlog = Backlog(MOST)
    pieces: dict[int, tuple[int, bool]] = {}
    for what, key, size, keep in steps:
        if what == "put":
            backlog.put(key, size, keep=keep)
            pieces[key] = (size, keep)
        elif what == "take":
            backlog.take(key)
            pieces.pop(key, None)
        else:
            backlog.cut()
            pieces = {key: piece for key, piece in pieces.items() if piece[1]}
        assert backlog.size == sum(size for size, _ in pieces.values())
        assert has_room(backlog) == (backlog.size < MOST)


@pytest.mark.parametrize("leave", ["take", "cut"])
async def test_who_waits_is_woken(leave: str) -> None:
    backlog = Backlog(MOST)
    backlog.put("a", MOST)
    waiting = asyncio.create_task(backlog.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    if leave == "take":
        backlog.take("a")
    else:
        backlog.cut()
    await asyncio.wait_for(waiting, 1)


def test_the_mark_is_the_most_that_ever_waited() -> None:
    queues = Queues()
    backlog = Backlog(MOST, queues)
    backlog.put(1, 40)
    backlog.put(2, 70)
    backlog.cut()
    backlog.put(3, 10)
    (use,) = queues.uses()
    assert (use.high_water, use.bound, use.unit) == (110, MOST, "characters")
