"""A recording says, sample by sample, what of a reply was heard, where it was held, where cut."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.bargein import heard as look
from bench.bargein.align import Run, align
from bench.bargein.heard import Hold, Spoken

RATE_HZ = 24_000
SAMPLES = NDArray[np.int16]


def speech(seconds: float, seed: int = 1) -> SAMPLES:
    """Low-passed noise: like speech no two places of it are alike."""
    raw = np.random.default_rng(seed).normal(0, 1, round(seconds * RATE_HZ))
    smooth = np.convolve(raw, np.hanning(24), mode="same")
    return (8_000 * smooth / np.abs(smooth).max()).astype(np.int16)


def silence(seconds: float) -> SAMPLES:
    return np.zeros(round(seconds * RATE_HZ), np.int16)


def faded(samples: SAMPLES, *, out: bool) -> SAMPLES:
    gain = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, len(samples) + 1) / len(samples))
    return np.rint(samples * (gain[::-1] if out else gain)).astype(np.int16)


def test_a_whole_reply_is_one_run() -> None:
    said = speech(2.0)
    heard = np.concatenate([silence(0.3), said, silence(0.3)])
    [run] = align(said, heard, RATE_HZ)
    assert run.shift == round(0.3 * RATE_HZ)
    assert run.length >= len(said) - 2
    last = look.last_audible(heard, run.heard, len(heard))
    assert last is not None
    assert look.said_until([run], last, len(said)) >= len(said) - 3


def test_a_pause_in_the_reply_is_no_hold() -> None:
    said = np.concatenate([speech(1.0), silence(0.4), speech(1.0, seed=2)])
    heard = np.concatenate([silence(0.1), said, silence(0.1)])
    runs = align(said, heard, RATE_HZ)
    assert len(runs) == 1
    assert look.holds(runs, said, heard, RATE_HZ) == []


def test_a_cut_ends_the_run_at_its_sample() -> None:
    said, cut = speech(3.0), 31_234
    heard = np.concatenate([silence(0.2), said[:cut], silence(1.0)])
    [run] = align(said, heard, RATE_HZ)
    last = look.last_audible(heard, run.heard, len(heard))
    assert last is not None
    assert cut - 3 <= look.said_until([run], last, len(said)) + 1 <= cut


@pytest.mark.parametrize("missing", [0, 480, -480])
def test_a_hold_tells_what_is_lost_or_repeated(missing: int) -> None:
    said, held = speech(3.0), 30_000
    heard = np.concatenate([said[:held], silence(0.3), said[held + missing :]])
    runs = align(said, heard, RATE_HZ)
    [hold] = look.holds(runs, said, heard, RATE_HZ)
    assert hold.gap == pytest.approx(missing, abs=abs(missing) * 0.05 + 2)
    assert hold.end - hold.begin == pytest.approx(0.3 * RATE_HZ, abs=4)


def test_fades_around_a_hold_are_no_gap() -> None:
    said, at, fade = speech(3.0), 30_000, 720
    heard = np.concatenate(
        [
            said[:at],
            faded(said[at : at + fade], out=True),
            silence(0.4),
            faded(said[at + fade : at + 2 * fade], out=False),
            said[at + 2 * fade :],
        ]
    )
    [hold] = look.holds(align(said, heard, RATE_HZ), said, heard, RATE_HZ)
    assert abs(hold.gap) < 0.005 * RATE_HZ
    assert look.step_ratio(heard, said, hold.begin - 1, RATE_HZ) < 1  # type: ignore[operator]


def test_nothing_of_another_reply_is_taken_for_this_one() -> None:
    heard = np.concatenate([silence(0.2), speech(3.0, seed=9)])
    assert align(speech(2.0), heard, RATE_HZ) == []


def test_half_as_loud_is_not_the_same() -> None:
    said = speech(1.0)
    assert align(said, said // 2, RATE_HZ) == []


@pytest.mark.parametrize(
    ("until", "least", "most"),
    [(-1, 0, 0), (9_998, 0, 0), (9_999, 1, 1), (19_000, 1, 1), (24_999, 1, 2), (26_999, 2, 2)],
)
def test_words_are_heard_when_their_end_is(until: int, least: int, most: int) -> None:
    """The second word ends in a pause, of which a recording cannot tell how much was played."""
    said = np.concatenate([np.full(25_000, 900, np.int16), np.zeros(5_000, np.int16)])
    words = [Spoken("One ", 10_000), Spoken(", ", 10_500), Spoken("two. ", 27_000)]
    assert look.audible_words(words, said, until) == (least, most)


def test_a_soft_end_that_a_fade_took_may_count() -> None:
    said = np.concatenate([np.full(9_000, 900, np.int16), np.full(1_000, 60, np.int16)])
    assert look.audible_words([Spoken("One.", 10_000)], said, 9_100) == (0, 1)
    assert look.audible_words([Spoken("One.", 10_000)], said, 8_900) == (0, 0)


def test_a_hard_end_is_a_step() -> None:
    said = (6_000 * np.sin(2 * np.pi * 100 * np.arange(RATE_HZ) / RATE_HZ)).astype(np.int16)
    heard = np.concatenate([said[:6_060], silence(0.2)])  # in the crest
    assert look.step_ratio(heard, said, 6_059, RATE_HZ) > 10  # type: ignore[operator]
    assert look.end_step(heard, 6_059) > 5_900


@pytest.mark.parametrize(
    ("samples", "found"),
    [([5, 0, 0, 5, 0], (1, 3)), ([5, 5], None), ([0, 0], (0, 2)), ([5, 1, -1, 1], (1, 4))],
)
def test_the_longest_silence(samples: list[int], found: tuple[int, int] | None) -> None:
    assert look.longest_silence(np.array(samples, np.int16)) == found


def test_runs_and_holds_are_plain_values() -> None:
    run = Run(heard=30, said=10, length=5)
    assert (run.shift, run.heard_end, run.said_end) == (20, 35, 15)
    assert Hold(1, 2, 3) == Hold(1, 2, 3)
