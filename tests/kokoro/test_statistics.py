"""A voice's averages are learnt, kept, and used only for units they fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from speech.kokoro.statistics import VoiceStatistics, bucket_of, statistics_file
from speech.kokoro.streaming import Statistics


def measured(value: float) -> Statistics:
    layer = np.full(4, value, np.float32)
    return Statistics((layer, layer + 1), (layer, layer + 2))


@pytest.mark.parametrize(
    ("phonemes", "bucket"),
    [(1, 0), (24, 0), (25, 1), (40, 1), (41, 2), (120, 3), (121, 4), (221, 5), (510, 5)],
)
def test_buckets(phonemes: int, bucket: int) -> None:
    assert bucket_of(phonemes) == bucket


@pytest.mark.parametrize(
    ("learnt", "asked", "known"),
    [(60, 60, True), (60, 30, True), (60, 100, True), (60, 7, False), (60, 300, False),
     (30, 7, False), (7, 7, False), (30, 200, False), (160, 400, True)],
)  # fmt: skip
def test_only_neighbours_stand_in(tmp_path: Path, learnt: int, asked: int, known: bool) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    statistics.fold(learnt, measured(1.0))
    assert (statistics.get(asked) is not None) == known


def test_an_average_levels_out_units_and_follows_slowly(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    for value in (1.0, 3.0):
        statistics.fold(60, measured(value))
    average = statistics.get(60)
    assert average is not None
    np.testing.assert_allclose(average.mean[0], 2.0)
    for _ in range(100):
        statistics.fold(60, measured(10.0))
    follower = statistics.get(60)
    assert follower is not None
    assert 9.5 < float(follower.mean[0][0]) <= 10.0


def test_what_was_learnt_is_there_after_a_restart(tmp_path: Path) -> None:
    first = VoiceStatistics(tmp_path / "sub" / "v.npz")
    first.fold(60, measured(1.5))
    first.save()
    again = VoiceStatistics(tmp_path / "sub" / "v.npz").get(60)
    assert again is not None
    np.testing.assert_array_equal(again.variance[1], measured(1.5).variance[1])


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"not a zip"])
def test_a_damaged_file_counts_as_absent(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "v.npz"
    file.write_bytes(content)
    assert VoiceStatistics(file).buckets == []


def test_numbers_that_are_none_count_as_absent(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    statistics.fold(60, measured(float("nan")))
    statistics.save()
    assert VoiceStatistics(tmp_path / "v.npz").buckets == []


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    statistics = VoiceStatistics(tmp_path / "file" / "v.npz")
    statistics.fold(60, measured(1.0))
    statistics.save()
    assert statistics.get(60) is not None


def test_another_table_of_the_same_name_has_another_file(tmp_path: Path) -> None:
    one = statistics_file(tmp_path, "a/../b", np.zeros(4, np.float32))
    two = statistics_file(tmp_path, "a/../b", np.ones(4, np.float32))
    assert one != two
    assert one.parent.parent == tmp_path
