"""A voice's averages are learnt, kept, and used only for units they fit."""

from __future__ import annotations

import math
from itertools import pairwise
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


def means_at(statistics: VoiceStatistics, *phonemes: int) -> list[float]:
    averages = [statistics.get(count) for count in phonemes]
    return [float(average.mean[0][0]) for average in averages if average is not None]


def test_between_two_buckets_their_averages_are_mixed(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    for phonemes, value in ((30, 1.0), (60, 2.0), (100, 4.0)):
        statistics.fold(phonemes, measured(value))
    assert means_at(statistics, 30, 60, 100) == [1.0, 2.0, 4.0]
    rising = means_at(statistics, *range(30, 101))
    assert all(a < b for a, b in pairwise(rising))
    assert max(b - a for a, b in pairwise(rising)) < 0.1
    halfway = statistics.get(round(math.sqrt(30 * 60)))
    assert halfway is not None
    assert float(halfway.variance[1][0]) == pytest.approx(math.sqrt(3 * 4), rel=0.02)


def test_beyond_the_buckets_only_the_shortest_follow_the_trend(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    for phonemes, value in ((36, 1.0), (60, 2.0), (300, 4.0)):
        statistics.fold(phonemes, measured(value))
    assert means_at(statistics, 25) == pytest.approx([0.5])  # no farther than half of the way
    assert means_at(statistics, 510) == [4.0]


def test_a_bucket_that_is_far_is_not_mixed_in(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    for phonemes, value in ((30, 1.0), (160, 2.0)):
        statistics.fold(phonemes, measured(value))
    assert means_at(statistics, 30, 60, 100, 160) == [1.0, 1.0, 2.0, 2.0]


def test_the_middle_of_a_bucket_is_where_its_units_were(tmp_path: Path) -> None:
    statistics = VoiceStatistics(tmp_path / "v.npz")
    for phonemes in (50, 70):
        statistics.fold(phonemes, measured(2.0))
    statistics.fold(100, measured(4.0))
    statistics.save()
    middle = math.sqrt(50 * 70)
    for known in (statistics, VoiceStatistics(tmp_path / "v.npz")):
        low, high = means_at(known, math.floor(middle), math.ceil(middle) + 1)
        assert low == 2.0 < high


def test_a_middle_outside_its_bucket_counts_as_absent(tmp_path: Path) -> None:
    file = tmp_path / "v.npz"
    for place in (math.log(90), 1e9, math.nan):
        layer = np.ones((2, 4), np.float32)
        np.savez(file, **{"2/count": np.asarray([3, place], np.float32), "2/0": layer})
        assert VoiceStatistics(file).buckets == []


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
