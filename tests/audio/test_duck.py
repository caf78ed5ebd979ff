"""Guards: a duck is no click, plays each sample once, and does not care how sound is cut up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.audio.duck import CUT_MS, FADE_MS, Duck, Samples

RATE = 24_000
FADE = RATE * FADE_MS // 1000
CUT = RATE * CUT_MS // 1000
COMMANDS = st.lists(
    st.tuples(st.integers(0, 2_000), st.sampled_from(["duck", "resume"])), max_size=8
)


def run(
    source: Samples, commands: list[tuple[int, str]], blocks: list[int], duck: Duck | None = None
) -> tuple[Samples, int]:
    """Output, and how much source was used; commands come after so many samples each."""
    duck = duck or Duck(RATE)
    out: list[Samples] = []
    used, turn = 0, 0
    for frames, name in [*commands, (2_000, "")]:
        left = frames
        while left:
            size = min(left, blocks[turn % len(blocks)])
            turn += 1
            wanted = duck.wanted(size)
            out.append(duck.apply(source[used : used + wanted], size))
            used += wanted
            left -= size
        if name:
            getattr(duck, name)()
    return np.concatenate(out), used


def noise(samples: int = 20_000) -> Samples:
    return np.random.default_rng(1).integers(-32_768, 32_768, samples).astype(np.int16)


@given(COMMANDS, st.lists(st.integers(20, 700), min_size=1, max_size=5))
def test_any_split_gives_the_same_samples(
    commands: list[tuple[int, str]], blocks: list[int]
) -> None:
    whole, used = run(noise(), commands, [20_000])
    split, used_too = run(noise(), commands, blocks)
    assert np.array_equal(whole, split)
    assert used == used_too


@given(COMMANDS)
def test_no_step_is_larger_than_the_fade_can_make(commands: list[tuple[int, str]]) -> None:
    level = np.full(20_000, 30_000, np.int16)
    output, _ = run(level, commands, [480])
    steepest = 30_000 * np.pi / 2 / FADE + 1
    assert np.abs(np.diff(output.astype(int), prepend=30_000)).max() <= steepest


def test_untouched_without_a_command() -> None:
    output, used = run(noise(), [], [333])
    assert np.array_equal(output, noise()[:2_000])
    assert used == 2_000


def test_goes_on_from_the_same_sample() -> None:
    """In the range of full gain the output is the source, moved by the time it was held."""
    output, used = run(noise(), [(1_000, "duck"), (1_500, "resume")], [480])
    held = 1_500 - FADE
    assert used == 4_500 - held
    assert not output[1_000 + FADE : 2_500].any()
    assert np.array_equal(output[2_500 + FADE :], noise()[2_500 + FADE - held : 4_500 - held])


def test_turns_around_in_the_middle_of_a_fade() -> None:
    level = np.full(20_000, 20_000, np.int16)
    output, used = run(level, [(100, "duck"), (FADE // 2, "resume"), (100, "duck")], [64])
    assert used == 100 + FADE // 2 + 100 + (FADE // 2 + 100)
    assert np.abs(np.diff(output.astype(int))).max() <= 20_000 * np.pi / 2 / FADE + 1


def test_a_cut_falls_from_the_gain_reached_and_leaves_full_gain_behind() -> None:
    duck = Duck(RATE)
    falls = {"full": duck.cut()}
    duck.duck()
    duck.apply(noise(FADE // 2), FADE // 2)
    reached = duck.gain
    falls["half"] = duck.cut()
    assert (duck.active, duck.gain, duck.wanted(480)) == (False, 1.0, 480)
    assert 0.4 < reached < 0.6
    for fall, top in zip(falls.values(), (1.0, reached), strict=True):
        assert len(fall) == CUT
        assert fall[-1] == 0
        assert (np.diff(fall, prepend=top) <= 0).all()
        assert np.abs(np.diff(fall, prepend=top)).max() <= top * np.pi / 2 / CUT + 1e-9


def test_out_of_a_finished_duck_a_cut_has_nothing_to_fade() -> None:
    duck = Duck(RATE)
    assert not duck.active
    duck.duck()
    assert duck.active
    duck.apply(noise(FADE), FADE)
    assert duck.silent
    assert duck.cut().size == 0
    assert (duck.silent, duck.gain, duck.wanted(480)) == (False, 1.0, 480)


def test_on_another_stream_it_is_held_where_it_was_and_not_where_it_was_let_go() -> None:
    duck = Duck(RATE)
    duck.duck()
    duck.apply(noise(FADE // 2), FADE // 2)
    held = duck.moved(2 * RATE)
    assert held.silent
    held.resume()
    assert held.wanted(480) == 480
    duck.resume()
    let_go = duck.moved(2 * RATE)
    assert (let_go.active, let_go.gain, let_go.wanted(480)) == (False, 1.0, 480)


def test_the_wrong_amount_of_source_is_named() -> None:
    with pytest.raises(ValueError, match="480 source samples are wanted, got 3"):
        Duck(RATE).apply(noise(3), 480)
    with pytest.raises(ValueError):
        Duck(0)
