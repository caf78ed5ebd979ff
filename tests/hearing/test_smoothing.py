"""A flickering detector gives steady speech, and a stray window gives none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.hearing.smoothing import VoiceSmoother


def answers(pattern: str, smoother: VoiceSmoother | None = None) -> str:
    """``pattern`` of 1 (voice) and 0, one window each, as the smoother answers it."""
    smoother = smoother or VoiceSmoother()
    return "".join("01"[smoother.push(window == "1")] for window in pattern)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("1111111111", "0000001111"),  # onset after 7 windows: 140 ms
        ("1111111111" + "0" * 10, "0000001111" + "1111110000"),  # release after 7: 140 ms
        ("1111110000" * 3, "0" * 30),  # clicks, with the detector's hangover
        ("110" * 6, "0" * 9 + "1" * 9),  # every third window missed
        ("1111111110" + "1" * 6, "000000" + "1" * 10),  # one gap
        ("10" * 10, "0" * 20),  # a coin toss stays silence
        ("", ""),
    ],
)
def test_table(pattern: str, expected: str) -> None:
    assert answers(pattern) == expected


@given(st.lists(st.booleans(), max_size=200))
def test_changes_need_evidence(decisions: list[bool]) -> None:
    smoother = VoiceSmoother()
    before = False
    for at, decision in enumerate(decisions):
        now = smoother.push(decision)
        recent = sum(decisions[max(0, at - 9) : at + 1])
        assert not (now and not before) or (recent >= smoother.on and decision)
        assert not (before and not now) or (recent <= smoother.off and not decision)
        before = now


@given(st.lists(st.booleans(), max_size=60), st.integers(0, 4))
def test_one_miss_in_five_never_ends_speech(noise: list[bool], phase: int) -> None:
    smoother = VoiceSmoother()
    for decision in [*noise, *[True] * 10]:
        smoother.push(decision)
    assert all(smoother.push(at % 5 != phase) for at in range(80))


@given(st.lists(st.booleans(), max_size=60))
def test_onset_and_release_are_bounded(before: list[bool]) -> None:
    smoother = VoiceSmoother()
    for decision in before:
        smoother.push(decision)
    assert answers("1" * smoother.window, smoother)[-1] == "1"
    assert answers("0" * smoother.window, smoother)[-1] == "0"


def test_reset_forgets() -> None:
    smoother = VoiceSmoother()
    answers("1111111111", smoother)
    smoother.reset()
    assert answers("111111", smoother) == "000000"


@pytest.mark.parametrize(("window", "on", "off"), [(8, 5, 5), (8, 9, 2), (8, 3, -1)])
def test_senseless_thresholds_are_refused(window: int, on: int, off: int) -> None:
    with pytest.raises(ValueError, match="off < on"):
        VoiceSmoother(window=window, on=on, off=off)
