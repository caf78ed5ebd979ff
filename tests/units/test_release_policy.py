"""Guards: a part of a sentence goes early only where waiting for its end would be heard."""

from __future__ import annotations

from speech.units.release import LATE_S, LEAD_S, LETTERS_PER_S, Release, ReleaseRules

CLAUSE = "If you come by on Friday,"


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def reply(token_s: float, rules: ReleaseRules | None = None) -> tuple[FakeClock, Release]:
    """After ``CLAUSE`` and a blank have come in tokens of four letters."""
    clock = FakeClock()
    release = Release(rules or ReleaseRules(), clock)
    for _ in range(len(CLAUSE) // 4 + 1):
        clock.now += token_s
        release.came("abcd")
    return clock, release


def test_a_slow_model_is_heard_after_its_first_clause_and_a_fast_one_after_its_sentence() -> None:
    assert reply(0.1)[1].wants_clause(CLAUSE, CLAUSE)
    assert not reply(0.02)[1].wants_clause(CLAUSE, CLAUSE)


def test_the_pace_decides_where_the_sentence_would_end_too_late() -> None:
    left = (80 - len(CLAUSE)) / 4
    assert reply(LATE_S / left * 1.1)[1].wants_clause(CLAUSE, CLAUSE)
    assert not reply(LATE_S / left * 0.9)[1].wants_clause(CLAUSE, CLAUSE)


def test_a_clause_too_short_to_sound_well_waits() -> None:
    assert not reply(0.1)[1].wants_clause("Well,", "Well,")


def test_while_something_is_spoken_there_is_time_for_whole_sentences() -> None:
    clock, release = reply(0.1)
    release.left("x" * 45)  # three seconds of speech
    assert not release.wants_clause(CLAUSE, CLAUSE)
    clock.now += 3.0
    assert release.wants_clause(CLAUSE, CLAUSE)
    release.left("x" * 45)
    release.silent()  # cut off
    assert release.wants_clause(CLAUSE, CLAUSE)


def test_it_can_be_switched_off() -> None:
    assert not reply(0.1, ReleaseRules(first_clause=False))[1].wants_clause(CLAUSE, CLAUSE)


def test_a_pause_counts_from_the_last_text_and_not_before_speech_runs_out() -> None:
    clock, release = reply(0.1)
    assert release.stalled_at == clock.now + 1.5
    release.left("x" * 150)
    stalled_at = release.stalled_at
    assert stalled_at is not None
    assert abs(stalled_at - (clock.now + 0.4 + 150 / LETTERS_PER_S - LEAD_S)) < 1e-9
    release.begin()
    assert release.stalled_at is None
