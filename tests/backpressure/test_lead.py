"""Guards: sound is made at most the lead ahead of what was heard, and nobody waits for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.lead import PATIENCE_S, SHORTEST_WAIT_S, Lead
from speech.queues import Queues

LEAD_S = 5.0


class FakeListener:
    """Hears in real time what is on its way, while it ``plays``."""

    def __init__(self) -> None:
        self.now = 100.0
        self.position = 0.0
        self.on_its_way = 0.0
        self.plays = True

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        if self.plays:
            heard = min(seconds, self.on_its_way)
            self.position += heard
            self.on_its_way -= heard

    def lead(self, queues: Queues | None = None) -> Lead:
        return Lead(LEAD_S, lambda: self.position, lambda: self.now, queues)


def make(lead: Lead, listener: FakeListener, seconds: float) -> None:
    lead.made(seconds)
    listener.on_its_way += seconds


Step = tuple[str, float]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("make"), st.floats(0.01, 2.0)),
        st.tuples(st.just("pass"), st.floats(0.0, 3.0)),
        st.tuples(st.just("hold"), st.floats(0.0, 3.0)),
        st.tuples(st.just("cut"), st.just(0.0)),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(STEPS)
def test_the_lead_is_kept_whatever_comes(steps: list[Step]) -> None:
    listener = FakeListener()
    lead = listener.lead()
    for what, amount in steps:
        if what == "make" and lead.wait_s() == 0:
            make(lead, listener, amount)
            assert lead.ahead_s <= LEAD_S + amount + 1e-6
        elif what == "cut":
            lead.cut()
            listener.on_its_way = 0.0
            assert lead.ahead_s == 0
        elif what in ("pass", "hold"):
            listener.plays = what == "pass"
            listener.pass_time(amount)
        assert lead.ahead_s >= 0
        assert lead.wait_s() == 0 or lead.wait_s() >= SHORTEST_WAIT_S


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 2.0), min_size=1, max_size=40))
def test_who_waits_as_long_as_told_is_always_let_on_and_the_sound_has_no_hole(
    chunks: list[float],
) -> None:
    listener = FakeListener()
    lead = listener.lead()
    for seconds in chunks:
        looks = 0
        while (wait_s := lead.wait_s()) > 0:
            listener.pass_time(wait_s)
            assert listener.on_its_way > 0
            looks += 1
        assert looks <= 3
        make(lead, listener, seconds)


@settings(deadline=None)
@given(st.floats(0.1, 30.0), st.floats(0.0, 20.0))
def test_silence_and_the_rest_of_a_cut_sound_give_no_credit(rest_s: float, idle_s: float) -> None:
    listener = FakeListener()
    lead = listener.lead()
    make(lead, listener, 3.0)
    lead.cut()
    listener.position += rest_s
    listener.now += idle_s
    make(lead, listener, LEAD_S + 1)
    assert lead.ahead_s == pytest.approx(LEAD_S + 1)
    assert lead.wait_s() == pytest.approx(1.0)


def test_a_lost_listener_is_given_up_after_the_patience_and_not_before() -> None:
    listener = FakeListener()
    lead = listener.lead()
    listener.now += 60  # a long silence is no sign of a loss
    listener.plays = False
    make(lead, listener, LEAD_S + 2)
    waited = 0.0
    while (wait_s := lead.wait_s()) > 0:
        waited += wait_s
        listener.pass_time(wait_s)
    assert waited == pytest.approx(PATIENCE_S)
    make(lead, listener, LEAD_S + 2)
    assert lead.wait_s() > 0


def test_a_listener_that_comes_back_is_waited_for_again() -> None:
    listener = FakeListener()
    lead = listener.lead()
    listener.plays = False
    make(lead, listener, LEAD_S + 2)
    listener.pass_time(PATIENCE_S - 1)
    listener.plays = True
    listener.pass_time(0.5)
    listener.plays = False
    listener.pass_time(PATIENCE_S - 1)
    assert lead.wait_s() > 0


def test_the_mark_is_the_most_that_was_ever_ahead() -> None:
    queues, listener = Queues(), FakeListener()
    lead = listener.lead(queues)
    make(lead, listener, 2.0)
    listener.pass_time(1.0)
    make(lead, listener, 2.5)
    lead.cut()
    (use,) = queues.uses()
    assert (use.high_water, use.bound, use.unit) == (3.5, LEAD_S, "s")
