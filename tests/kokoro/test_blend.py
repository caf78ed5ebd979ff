"""A blend is its voices' tables by weight, and speaks the language of the heaviest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.errors import UnknownVoiceError, UsageError
from speech.kokoro.blend import blend_name, parse_blend
from speech.kokoro.languages import language_of
from speech.kokoro.statistics import statistics_file
from speech.kokoro.voices import load_voice


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, value in (("af_one", 1.0), ("bm_four", 4.0), ("ef_nine", 9.0)):
        np.full(510 * 256, value, "<f4").tofile(tmp_path / f"{name}.bin")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "shares", "language"),
    [
        ("af_one", {"af_one": 1.0}, "en-us"),
        ("af_one:0.2", {"af_one": 1.0}, "en-us"),
        ("af_one:0.7+bm_four:0.3", {"af_one": 0.7, "bm_four": 0.3}, "en-us"),
        ("af_one:1+bm_four:3", {"af_one": 0.25, "bm_four": 0.75}, "en-gb"),
        ("bm_four+af_one", {"bm_four": 0.5, "af_one": 0.5}, "en-gb"),
        (" ef_nine : 2 + af_one ", {"ef_nine": 2 / 3, "af_one": 1 / 3}, "es"),
        ("af_one+bm_four+af_one", {"af_one": 2 / 3, "bm_four": 1 / 3}, "en-us"),
        ("af_one:1e-9+bm_four:1000", {"af_one": 1e-12, "bm_four": 1.0}, "en-gb"),
    ],
)
def test_a_blend(folder: Path, text: str, shares: dict[str, float], language: str) -> None:
    parsed = {part.voice: part.share for part in parse_blend(text)}
    assert parsed == pytest.approx(shares)
    assert list(parsed) == list(shares)
    assert language_of(text) == language
    values = {"af_one": 1.0, "bm_four": 4.0, "ef_nine": 9.0}
    table = load_voice(folder, text)
    assert table.dtype == np.float32
    assert table == pytest.approx(sum(values[v] * share for v, share in shares.items()))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("af_one+", "no voice in a part of 'af_one\\+'; write a blend as"),
        ("+", "write a blend as NAME:WEIGHT"),
        (":1", "no voice in a part of ':1'"),
        ("af_one:", "the weight '' of 'af_one' is no number"),
        ("af_one:x+bm_four", "the weight 'x' of 'af_one' is no number"),
        ("af_one:0,7+bm_four:0,3", "the weight '0,7' of 'af_one'"),
        ("af_one:1:2", "the weight '1:2' of 'af_one'"),
        ("af_one:0+bm_four:1", "'af_one' weighs 0; give above 0"),
        ("af_one:-1", "'af_one' weighs -1; give above 0"),
        ("af_one:nan", "'af_one' weighs nan"),
        ("af_one:inf", "'af_one' weighs inf"),
        ("+".join(["af_one"] * 9), "a blend of 9 voices; give 8 at most"),
        ("af\none:0", r"'af\\none' weighs 0"),
        ("x" * 9_000 + "+", "no voice in a part of 'x{60}…'"),
        ("x" * 9_000, "no voice 'x{60}…'; choose one of"),
        ("af_one:" + "9" * 9_000 + "x", "the weight '9{60}…' of 'af_one' is no number"),
    ],
)
def test_what_is_no_blend_is_one_line(folder: Path, text: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault) as caught:
        load_voice(folder, text)
    assert "\n" not in str(caught.value)


def test_an_unknown_part_is_named(folder: Path) -> None:
    with pytest.raises(UnknownVoiceError, match="no voice 'af_far'; choose one of: af_one, bm"):
        load_voice(folder, "af_one+af_far")


names = st.from_regex(r"[a-z]{2}_[a-z]{1,9}", fullmatch=True)
weights = st.floats(1e-3, 1_000.0)


@given(st.lists(st.tuples(names, weights), min_size=1, max_size=8))
def test_shares_add_up_to_one_and_a_blends_name_is_the_blend(
    voices: list[tuple[str, float]],
) -> None:
    shares = parse_blend(" + ".join(f"{name}:{weight!r}" for name, weight in voices))
    assert sum(part.share for part in shares) == pytest.approx(1.0)
    again = parse_blend(blend_name(shares))
    assert [part.voice for part in again] == [part.voice for part in shares]
    assert [p.share for p in again] == pytest.approx([p.share for p in shares], rel=1e-3, abs=1e-5)


def test_each_blend_has_statistics_of_its_own(folder: Path) -> None:
    texts = ("af_one", "af_one:0.7+bm_four:0.3", "af_one:0.3+bm_four:0.7")
    files = {statistics_file(folder, text, load_voice(folder, text)) for text in texts}
    assert len(files) == 3
    assert all(file.parent.parent == folder for file in files)
