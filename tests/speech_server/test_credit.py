"""From the credit a client gives the engine learns what its listener has still to hear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.speech.credit import Credit
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.socket import connected, server

RATE_HZ = 1_000
"""A sample a millisecond."""


async def sent(credit: Credit, samples: int) -> None:
    assert await credit.take(samples) == samples


async def test_what_was_sent_and_has_not_come_back_is_unheard() -> None:
    credit = Credit(RATE_HZ)
    await sent(credit, 500)
    assert credit.unheard_s == 0  # nothing is known of a client that gives no credit
    credit.give(3_000)
    await sent(credit, 2_000)
    assert credit.unheard_s == 2.0
    credit.give(1_500)
    assert credit.unheard_s == 0.5
    credit.give_back(500)
    assert credit.unheard_s == 0.0
    credit.give(60_000)  # a client that wants everything
    assert credit.unheard_s == 0.0


async def test_what_was_cut_comes_back_first_and_is_not_heard() -> None:
    credit = Credit(RATE_HZ)
    credit.give(3_000)
    await sent(credit, 2_000)
    credit.cut()
    assert credit.unheard_s == 0.0
    credit.give_back(300)  # it had not left the server
    await sent(credit, 400)
    credit.give(1_700)
    assert credit.unheard_s == pytest.approx(0.4)
    credit.restart(RATE_HZ, None)
    assert credit.unheard_s == 0.0


steps = st.lists(st.tuples(st.sampled_from(["send", "hear", "cut"]), st.integers(1, 900)))


@given(steps)
def test_a_client_that_gives_back_what_it_plays_is_known_to_the_sample(
    steps: list[tuple[str, int]],
) -> None:
    """A cut one throws away what it has, and gives it back before it hears anything else."""
    credit = Credit(RATE_HZ)
    credit.give(3_000)
    left, has, thrown = 3_000, 0, 0
    for what, samples in steps:
        if what == "send" and samples <= left:
            _run(credit, samples)
            left, has = left - samples, has + samples
        elif what == "hear":
            back = min(samples, thrown + has)
            from_thrown = min(back, thrown)
            thrown, has = thrown - from_thrown, has - (back - from_thrown)
            left += back
            credit.give(back)
        elif what == "cut":
            credit.cut()
            thrown, has = thrown + has, 0
        assert credit.unheard_s == pytest.approx(has / RATE_HZ)


def _run(credit: Credit, samples: int) -> None:
    taking = credit.take(samples)
    with pytest.raises(StopIteration):
        taking.send(None)


async def test_the_engine_is_told_with_each_credit_and_at_a_cut() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={"credit_ms": 1_000}) as socket:
        socket.say(type="speak", id="u1", text="One two three.")
        await socket.until("done")
        socket.say(type="credit", ms=100)
        socket.say(type="cancel", id="all")
        socket.say(type="credit", ms=100)
        socket.say(type="speak", id="u2", text="Four.")
        await socket.until("done")
    assert engine.told == [("played", pytest.approx(0.2)), ("cut", 0.0), ("played", 0.0)]
