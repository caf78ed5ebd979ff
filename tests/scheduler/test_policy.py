"""The job whose listener runs dry first runs first, and nobody runs without credit or for ever."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.scheduler.listener import Listener
from speech.scheduler.policy import ALONE, GRACE_S, SLICE_S, Job, Policy, Turn, Wait


def hearing(until: float) -> Listener:
    """A listener in mid-reply whose sound lasts until then."""
    listener = Listener()
    listener.ask(0.0, 1.0)
    listener.hear(until, 0.0)
    return listener


def job(listener: Listener | None = None, **of_job: object) -> Job:
    return Job(lambda _share: None, listener=listener, **of_job)  # type: ignore[arg-type]


def policy_of(*jobs: Job) -> Policy:
    policy = Policy()
    for each in jobs:
        if each.listener is not None:
            policy.join(each.listener)
        policy.add(each)
    return policy


def order(policy: Policy, now: float = 0.0) -> list[Job]:
    """The jobs in the order in which they run, if nothing changes meanwhile."""
    ran = []
    while isinstance(turn := policy.next(now), Turn):
        ran.append(turn.job)
    return ran


class TestListener:
    def test_a_reply_is_due_so_long_after_it_was_asked_for(self) -> None:
        listener = Listener()
        assert listener.due == math.inf
        assert listener.ask(10.0, 0.7)
        assert listener.due == 10.7

    def test_what_goes_on_is_due_when_the_sound_runs_dry_and_stays_due(self) -> None:
        listener = Listener()
        listener.ask(0.0, 1.0)
        listener.hear(2.0, now=0.5)
        assert not listener.ask(1.0, 1.0)
        assert listener.due == 2.5
        assert not listener.sounds(3.0)
        assert listener.due == 2.5  # the one who has waited longest is the most urgent

    def test_a_pause_between_replies_is_not_owed(self) -> None:
        listener = Listener()
        listener.ask(0.0, 1.0)
        listener.hear(2.0, now=0.0)
        assert listener.ask(9.0, 1.0)
        listener.hear(1.0, now=9.5)
        assert listener.due == 10.5
        assert listener.turn_s == 1.0

    def test_the_listener_knows_better(self) -> None:
        listener = hearing(2.0)
        listener.plays(5.0, now=1.0)
        assert listener.due == 6.0
        listener.plays(1.0, now=1.0)  # at least, not at most
        listener.plays(0.0, now=9.0)  # of one who has nothing left nothing is known
        assert listener.due == 6.0
        listener.cut()
        assert listener.due == math.inf

    def test_a_unit_that_is_waited_for_stays_due_when_what_was_before_it_is_cut(self) -> None:
        listener = Listener()
        listener.ask(0.0, 1.0)
        listener.cut(waits=True)
        assert listener.due == 1.0

    def test_credit_has_a_limit_from_the_first_grant_on(self) -> None:
        listener = Listener()
        listener.hear(60.0, now=0.0)
        assert listener.credit_s == math.inf
        listener.grant(1.0)
        listener.hear(1.5, now=0.0)
        assert listener.credit_s == -0.5  # the last stretch may exceed it, and is owed
        listener.grant(1.0)
        assert listener.credit_s == 0.5


class TestOrder:
    @given(st.lists(st.floats(0.0, 60.0), max_size=12))
    def test_earliest_deadline_first_and_of_equals_the_first(self, until: list[float]) -> None:
        jobs = [job(hearing(each)) for each in until]
        assert order(policy_of(*jobs)) == sorted(jobs, key=lambda each: each.deadline)

    def test_what_must_follow_before_there_is_sound_counts(self) -> None:
        chunk, front = job(hearing(1.0)), job(hearing(1.2), before_s=0.5)
        assert order(policy_of(chunk, front)) == [front, chunk]

    def test_a_new_reply_goes_before_those_who_have_more_in_hand_than_it_may_take(self) -> None:
        new = Listener()
        new.ask(0.0, 1.0)
        rich, poor, first = job(hearing(3.0)), job(hearing(0.4)), job(new)
        assert order(policy_of(rich, poor, first)) == [poor, first, rich]

    def test_what_nobody_hears_waits_for_its_own_time(self) -> None:
        background, rich = job(due=5.0), job(hearing(6.0))
        assert order(policy_of(rich, background)) == [background, rich]

    def test_deadlines_are_those_of_now(self) -> None:
        one, other = hearing(1.0), hearing(2.0)
        jobs = [job(one), job(other)]
        policy = policy_of(*jobs)
        one.plays(9.0, now=0.5)
        assert order(policy) == jobs[::-1]

    @given(st.lists(st.floats(0.0, 5.0), min_size=1, max_size=8), st.floats(0.0, 20.0))
    def test_nobody_starves(self, others: list[float], due: float) -> None:
        """Each other listener is served some times until its deadline is later, and never again."""
        policy, mine, now = policy_of(), job(due=due), 0.0
        talkers = [hearing(each) for each in others]
        for talker in talkers:
            policy.add(job(talker))
        policy.add(mine)
        for _ in range(1 + len(others) * (2 + int(due / 0.5))):
            turn = policy.next(now)
            assert isinstance(turn, Turn)
            if turn.job is mine:
                return
            assert turn.job.listener is not None
            now += 0.2
            turn.job.listener.hear(0.5, now)  # and it wants more at once
            policy.add(job(turn.job.listener))
        pytest.fail("it never ran")


class TestCredit:
    def test_without_credit_nothing_runs_until_there_is_some(self) -> None:
        listener, other = hearing(0.1), hearing(5.0)
        listener.grant(0.0)
        jobs = [job(listener), job(other)]
        policy = policy_of(*jobs)
        assert order(policy) == [jobs[1]]
        assert policy.next(0.0) is None
        listener.grant(0.2)
        assert order(policy) == [jobs[0]]


class TestLeaving:
    def test_a_session_that_closes_has_no_job_left(self) -> None:
        listener = hearing(1.0)
        jobs = [job(listener), job(hearing(2.0)), job(listener)]
        policy = policy_of(*jobs)
        assert policy.leave(listener) == [jobs[0], jobs[2]]
        assert policy.waiting(listener) == []
        assert order(policy) == [jobs[1]]

    def test_a_job_that_is_not_wanted_any_more_is_gone_at_once(self) -> None:
        gone = job(hearing(1.0))
        policy = policy_of(gone)
        assert policy.remove(gone)
        assert not policy.remove(gone)
        assert policy.next(0.0) is None


class TestHeldPlace:
    """A unit asks for its next job after a turn of the event loop."""

    def test_an_urgent_unit_between_two_jobs_is_waited_for(self) -> None:
        urgent, rich = hearing(0.3), job(hearing(4.0))
        policy = policy_of(rich)
        policy.join(urgent)
        policy.done(job(urgent, more=lambda: True), 0.1)
        assert policy.next(0.1) == Wait(0.1 + GRACE_S)
        following = job(urgent)
        policy.add(following)
        assert order(policy, 0.1) == [following, rich]

    @pytest.mark.parametrize(
        ("more", "until", "now"),
        [(False, 0.3, 0.1), (True, 9.0, 0.1), (True, 0.3, 0.1 + 2 * GRACE_S)],
    )
    def test_not_one_that_is_over_or_less_urgent_or_too_slow(
        self, more: bool, until: float, now: float
    ) -> None:
        other, rich = hearing(until), job(hearing(4.0))
        policy = policy_of(rich)
        policy.join(other)
        policy.done(job(other, more=lambda: more), 0.1)
        assert order(policy, now) == [rich]

    def test_nor_one_that_was_cancelled(self) -> None:
        urgent, rich = hearing(0.3), job(hearing(4.0))
        policy, ran = policy_of(rich), job(urgent, more=lambda: True)
        policy.join(urgent)
        policy.done(ran, 0.1)
        policy.remove(ran)
        assert order(policy, 0.1) == [rich]


class TestShare:
    def test_who_is_alone_has_all_of_the_machine(self) -> None:
        turn = policy_of(job(hearing(1.0))).next(0.0)
        assert isinstance(turn, Turn)
        assert turn.share == ALONE

    @pytest.mark.parametrize(
        ("others", "load"), [([0.0], 2.0), ([4.0], 1.5), ([20.0], 1.0), ([0.0, 0.0, 4.0], 3.5)]
    )
    def test_the_less_others_have_the_more_it_is_shared(
        self, others: list[float], load: float
    ) -> None:
        turn = policy_of(job(hearing(-1.0)), *(job(hearing(each)) for each in others)).next(0.0)
        assert isinstance(turn, Turn)
        assert turn.share.load == load
        assert turn.share.longest_s == SLICE_S
