"""``earshot bench bargein`` has its keys, and its echo, noises and sums are what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.bargein import cpu, cuts, echo, noises, noises_part
from bench.bargein.bot_process import Mark, Reference
from bench.bargein.capture import Capture, row_of
from bench.bargein.clips import lines, trim
from bench.bargein.echo_path import delay_and_level
from bench.bargein.heard import Spoken
from bench.bargein.room import Path, response
from bench.bargein.rounds import Plan
from bench.bargein.run import PARTS, record
from bench.bargein.stage import bot_settings
from bench.bargein.summary import summary
from bench.soundcard.recorder import Stretch
from bot.config.schema import Settings
from tests.bench.test_bargein_align import RATE_HZ, silence, speech

WANTED = (
    "name", "config", "cut_to_silent_ms_p95", "samples_after_cut", "onset_to_duck_ms_p95",
    "overcredited_words", "missing_words_max", "resume_gap_ms_max", "self_interruptions",
    "noise_cuts", "missed_cuts", "cpu_idle_ms", "pipecat", "rounds",
)  # fmt: skip
BEGAN = 100.0


def cut_capture(cut_s: float, silent_s: float, *, words: int) -> Capture:
    """A reply of four half seconds of speech, a word each; cut, and ``words`` credited."""
    said = speech(2.0)
    reference = Reference(
        [said], [Spoken(f"w{n} ", (n + 1) * RATE_HZ // 2) for n in range(4)], RATE_HZ, len(said)
    )
    heard = np.concatenate([silence(0.5), said[: round(silent_s * RATE_HZ)], silence(2.0)])
    marks = [
        Mark("scheduled", BEGAN + 0.5, "r", {}),
        Mark("interrupt", BEGAN + 0.5 + cut_s, None, {}),
    ]
    marks += [Mark("heard_text", BEGAN + n, "r", {"text": f"w{n} "}) for n in range(words)]
    quiet = Stretch(np.zeros(48_000, np.int16), BEGAN, 0.0)
    next_at = BEGAN + len(heard) / RATE_HZ
    return Capture("r", reference, Stretch(heard, BEGAN, 0.0), quiet, marks, next_at)


def test_a_cut_is_read_off_its_recording() -> None:
    row = row_of(cut_capture(1.2, 1.25, words=2))
    assert row["cut_to_silent_ms"] == pytest.approx(50, abs=1)
    assert row["samples_after_cut"] == pytest.approx(0.01 * RATE_HZ, abs=8)
    assert row["clock_ms"] == pytest.approx(0, abs=0.1)
    assert (row["words_audible"], row["overcredited_words"], row["missing_words"]) == (2, 0, 0)
    assert row["begins_with_own_sound"]
    assert row["credited_in_order"]
    assert not row["heard_to_its_end"]


@pytest.mark.parametrize(("credited", "over", "missing"), [(0, 0, 2), (2, 0, 0), (4, 2, 0)])
def test_the_record_is_held_against_the_recording(credited: int, over: int, missing: int) -> None:
    row = row_of(cut_capture(1.2, 1.2, words=credited))
    assert (row["overcredited_words"], row["missing_words"]) == (over, missing)


def test_the_record_has_the_wanted_keys_and_a_summary() -> None:
    rows = [
        {"round": 0, "how": "stop", **row_of(cut_capture(1.2, 1.25, words=2)), "answer_ms": None}
    ]
    config = {
        "machine": {"cpu": "x"}, "quick": True, "load_average_before": 0, "load_average_after": 0,
    }  # fmt: skip
    document = record(config, {"cuts": rows, "plain": [dict(rows[0])]})
    assert set(WANTED) <= set(document)
    assert document["cut_to_silent_ms_p95"] == pytest.approx(50, abs=1)
    assert document["pipecat"]["cut_to_silent_ms_p95"] == pytest.approx(50, abs=1)
    assert document["noise_cuts"] is None
    assert any("cut to silence" in line for line in summary(document))
    assert summary(record(config, {}))


def test_parts() -> None:
    assert list(PARTS) == ["cuts", "noises", "cpu", "plain", "echo", "guard"]


def test_a_missed_cut_and_a_noise_that_cut_are_counted() -> None:
    base = row_of(cut_capture(1.2, 1.2, words=2))
    missed = {**base, "round": 1, "how": "voice", "cut_at_s": None, "answer_ms": None}
    assert cuts.figures([missed])["missed_cuts"] == 1
    over = {**missed, "onset_to_end_ms": 90.0}
    found = cuts.figures([over])
    assert (found["missed_cuts"], found["over_before_decided"]) == (0, 1)
    late = {**missed, "onset_to_end_ms": 2_000.0}
    assert cuts.figures([late])["missed_cuts"] == 1
    noise = {**base, "kind": "cough", "said": ""}
    whole = {**noise, "cut_at_s": None, "heard_to_its_end": True}
    found = noises_part.figures([noise, whole])
    assert (found["noise_cuts"], found["noise_cuts_of"]) == (1, {"cough": 1})


def test_the_replies_last_5_to_20_seconds() -> None:
    lengths = [Plan(text, "whole", 1.0).length_s for text in lines("replies.txt")]
    assert min(lengths) >= 5
    assert max(lengths) <= 21
    assert len(lines("sayings.txt")) >= 16


def test_settings_are_changed_where_they_are_known() -> None:
    settings = bot_settings(
        Settings(), "http://127.0.0.1:9/v1", {"vad__kind": "webrtc", "no__such": 1}
    )
    assert settings.vad.kind == "webrtc"
    assert settings.llm.base_url == "http://127.0.0.1:9/v1"
    assert settings.bot.greeting == ""


@pytest.mark.parametrize("kind", noises.MADE)
def test_noises_are_short_loud_and_the_same_again(kind: str) -> None:
    sound, again = (noises.MADE[kind](np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(sound, again)
    assert 0.1 <= len(sound) / noises.RATE_HZ <= 2.0
    assert np.abs(sound).max() == pytest.approx(noises.LOUD)
    trimmed = trim(np.concatenate([np.zeros(999, np.int16), noises.as_int16(sound)]))
    assert np.abs(trimmed[:48].astype(int)).max() > 0


@given(st.integers(0, 500), st.booleans(), st.integers(0, 2**31))
def test_the_room_delays_and_filters_as_a_convolution_does(
    delay: int, reverberant: bool, seed: int
) -> None:
    taps, block = response(2_000, -6.0, reverberant=reverberant, seed=seed), 40
    assert np.linalg.norm(taps) == pytest.approx(10 ** (-6 / 20))
    sound = np.random.default_rng(seed).normal(0, 1, 10 * block)
    path = Path(taps, delay, block)
    pieces = [path.process(sound[at : at + block]) for at in range(0, len(sound), block)]
    wanted = np.convolve(np.concatenate([np.zeros(delay), sound]), taps)[: len(sound)]
    assert np.allclose(np.concatenate(pieces), wanted)


@pytest.mark.parametrize(
    ("said", "understood", "errors"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a c", 1),
        ("a b", "a x b", 1),
        ("a b", "", 2),
        ("a", "b", 1),
    ],
)
def test_word_errors(said: str, understood: str, errors: int) -> None:
    assert echo.word_errors(said.split(), understood.split()) == errors


def test_wer_is_over_all_words() -> None:
    assert echo.wer([("Stop, please!", "stop please"), ("Wait a bit.", "wait")]) == pytest.approx(
        0.4
    )
    assert echo.wer([]) is None


def test_idle_is_when_the_last_busy_window_ends() -> None:
    """Two cores until 0.12 s after the cut, then a twentieth of one."""
    samples, used = [], 0.0
    for step in range(250):
        at = step * 0.01
        samples.append((at, used))
        used += 0.02 if at < 1.12 else 0.0005
    row: dict[str, Any] = cpu.read(samples, 1.0, 0.05)
    assert row["busy"]
    assert row["idle_ms"] == pytest.approx(120, abs=55)
    assert row["spent_s"] == pytest.approx(0.24, abs=0.03)


@pytest.mark.parametrize("delay_ms", [60, 118])
def test_the_delay_of_an_echo_is_measured(delay_ms: int) -> None:
    said = speech(4.0)
    late = np.concatenate([silence(delay_ms / 1000), said, silence(0.5)]) // 2
    microphone = np.repeat(late, 2)  # at 48 kHz, begun a tenth of a second before
    lead = np.zeros(4_800, np.int16)
    found = delay_and_level(
        Stretch(said, BEGAN, 0.0),
        Stretch(np.concatenate([lead, microphone]), BEGAN - 0.1, 0.0),
        48_000,
    )
    assert found is not None
    assert 1_000 * found[0] == pytest.approx(delay_ms, abs=0.1)
    assert found[1] == pytest.approx(-6, abs=0.5)
