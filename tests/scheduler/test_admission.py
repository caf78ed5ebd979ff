"""What is foreseen is what the policy will do, and a promise is refused when it cannot be kept."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.kokoro.costs import Costs
from speech.kokoro.planner import SpeedModel
from speech.scheduler.admission import (
    HORIZON_S,
    MARGIN,
    SPARE_S,
    Outlook,
    Work,
    lateness_s,
    wait_s,
)

tenths = st.integers(0, 20).map(lambda number: number / 10)
works = st.lists(st.builds(Work, tenths, tenths), max_size=3)
outlooks = st.lists(st.builds(Outlook, tenths, works), max_size=3)


@pytest.mark.parametrize(
    ("busy_s", "voices", "late_s"),
    [
        (0.0, [], -math.inf),
        (0.0, [(1.0, [(0.4, 2.0)])], -0.6),
        (0.5, [(1.0, [(0.4, 2.0)])], -0.1),
        (0.0, [(1.0, [(0.2, 0.0), (0.4, 2.0)])], -0.4),  # a front gives no sound
        (0.0, [(1.0, [(0.8, 0.5), (0.8, 0.5)])], 0.1),  # slower than sound
        (0.0, [(1.0, [(0.6, 2.0)]), (1.1, [(0.6, 2.0)])], 0.1),  # two at once
        (0.0, [(1.0, [(0.6, 2.0)]), (2.0, [(0.6, 2.0)])], -0.4),  # one after the other
    ],
)
def test_how_late_somebody_would_be(
    busy_s: float, voices: list[tuple[float, list[tuple[float, float]]]], late_s: float
) -> None:
    outlooks = [
        Outlook(due, [Work(cost / MARGIN, sound) for cost, sound in work]) for due, work in voices
    ]
    assert lateness_s(0.0, busy_s, outlooks) == pytest.approx(late_s)
    moved = [Outlook(each.due + 100, each.work) for each in outlooks]
    assert lateness_s(100.0, busy_s, moved) == pytest.approx(late_s)


@given(outlooks, tenths)
def test_one_more_never_makes_it_better(others: list[Outlook], due: float) -> None:
    more = [*others, Outlook(due, [Work(0.3, 1.0)])]
    own = lateness_s(0.0, 0.0, more[-1:])
    assert lateness_s(0.0, 0.0, more) >= own - 1e-9


def test_a_listener_without_end_is_looked_at_up_to_the_horizon() -> None:
    def endless() -> object:
        while True:
            yield Work(0.5, 1.0)

    late = lateness_s(0.0, 0.0, [Outlook(1.0, endless())])  # type: ignore[arg-type]
    assert late == pytest.approx(MARGIN * 0.5 - 1.0)
    assert HORIZON_S < 60


def test_who_is_not_served_before_the_horizon_is_late() -> None:
    silent = [Work(1.0, 0.0)] * 100
    late = lateness_s(0.0, 0.0, [Outlook(0.0, silent), Outlook(1.0, [Work(0.1, 1.0)])])
    assert late > HORIZON_S - 1.0


def test_twice_the_threads_take_half_as_long() -> None:
    work = Outlook(1.0, [Work(1.0 / MARGIN, 1.0)])
    assert lateness_s(0.0, 0.0, [work], threads=2) == pytest.approx(-0.5)


NOBODY_WAITS = Outlook(50.0, [])
"""Somebody listens, and has enough in hand."""


@pytest.mark.parametrize(
    ("cost_s", "later_s"), [(0.2, 0.0), (0.89, 0.0), (0.95, 0.05), (1.4, 0.4 + SPARE_S)]
)
def test_who_is_refused_is_told_when_to_come_back(cost_s: float, later_s: float) -> None:
    asking = Outlook(1.0, [Work(cost_s / MARGIN, 2.0)])
    assert wait_s(0.0, 0.0, asking, [NOBODY_WAITS]) == pytest.approx(later_s)


def test_one_more_is_refused_for_what_it_would_do_to_another() -> None:
    asking, other = Outlook(5.0, [Work(0.1, 2.0)]), Outlook(0.5, [Work(0.6, 2.0)])
    assert wait_s(0.0, 0.0, asking, [NOBODY_WAITS]) == 0.0
    assert wait_s(0.0, 0.0, asking, [other]) > 0.0


@given(tenths, st.floats(0.0, 100.0), works, st.integers(1, 4))
def test_who_is_alone_is_never_refused(
    due: float, busy_s: float, work: list[Work], threads: int
) -> None:
    """Not even where the machine is slower than sound, or busy for a minute."""
    slow = [Work(100 * each.cost_s, each.sound_s) for each in work]
    assert wait_s(0.0, busy_s, Outlook(due, slow), [], threads) == 0.0


@given(outlooks, outlooks, tenths, works)
def test_the_more_listen_the_later_one_comes_in(
    few: list[Outlook], more: list[Outlook], due: float, work: list[Work]
) -> None:
    asking = Outlook(due, work)
    alone = wait_s(0.0, 0.0, asking, [])
    assert alone <= wait_s(0.0, 0.0, asking, few)
    own_late_s = lateness_s(0.0, 0.0, [asking])
    if few:
        assert wait_s(0.0, 0.0, asking, [*few, *more]) >= own_late_s + SPARE_S - 1e-9


class TestCosts:
    def test_are_learned_from_what_was_measured(self) -> None:
        costs, chunk = Costs(), SpeedModel()
        for phonemes in (20, 100):
            costs.front.learn(phonemes, 0.002 * phonemes)
        for frames in (32, 144):
            chunk.learn(frames, 0.004 * frames)
        costs.learn_length(100, 8.0)
        costs.learn_turn(12.0)
        assert costs.turn_s == 12.0
        assert costs.sound_s(50) == pytest.approx(4.0)
        work = list(costs.work(50, 4.0, chunk))
        assert work[0].cost_s == pytest.approx(0.1)
        assert [each.sound_s for each in work] == pytest.approx([0.0, 0.2, 1.6, 1.6, 0.6])
        assert sum(each.cost_s for each in work) > 0.1 + 0.004 * 320

    def test_a_short_unit_is_one_run_and_a_begun_one_has_no_front(self) -> None:
        costs, chunk = Costs(), SpeedModel()
        assert [work.sound_s for work in costs.work(10, 1.0, chunk)] == [0.0, 1.0]
        assert [work.sound_s for work in costs.work(0, 1.0, chunk)] == [1.0]
        assert list(costs.work(0, 0.0, chunk)) == []

    def test_nonsense_teaches_nothing(self) -> None:
        costs = Costs()
        before = costs.sound_s(10)
        costs.learn_length(0, 5.0)
        costs.learn_length(5, 0.0)
        costs.learn_turn(0.0)
        assert (costs.sound_s(10), costs.turn_s) == (before, 0.0)
