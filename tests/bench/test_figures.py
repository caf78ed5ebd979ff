"""A figure of a benchmark follows from its raw rows by arithmetic anyone can repeat."""

from __future__ import annotations

from typing import Any

import pytest

from bench.figures import largest, median, medians, ratio, ratios, rotated, rounded


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], None), ([None], None), ([3.0], 3.0), ([9, 1, 2], 2), ([1, 2, 3, 9], 2.5), ([None, 4], 4)],
)
def test_median(values: list[float | None], expected: float | None) -> None:
    assert median(values) == expected


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [(10, 4, 2.5), (1, 3, 0.333), (None, 1, None), (1, None, None), (1, 0, None), (0, 5, 0.0)],
)
def test_ratio(above: float | None, below: float | None, expected: float | None) -> None:
    assert ratio(above, below) == expected


def test_medians_keep_the_order_of_the_keys() -> None:
    rows = [{"length": 45, "ms": 2}, {"length": 15, "ms": 1}, {"length": 45, "ms": 4}]
    assert list(medians(rows, "length", "ms").items()) == [("45", 3), ("15", 1)]


def test_ratios_are_of_the_keys_both_have() -> None:
    assert ratios({"15": 2, "45": 9}, {"45": 3, "120": 1}) == {"45": 3.0}


def test_largest_goes_by_size() -> None:
    assert largest([0.2, None, -0.7]) == 0.7
    assert largest([None]) is None


def test_every_engine_is_first_and_nobody_has_a_fixed_neighbour() -> None:
    orders = [rotated("abc", by) for by in range(3)]
    assert [order[0] for order in orders] == ["a", "b", "c"]
    assert rotated([], 4) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1.23456, 1.235), ({"a": [0.00049, "x"]}, {"a": [0.0, "x"]}), (7, 7), (None, None)],
)
def test_rounded(value: Any, expected: Any) -> None:
    assert rounded(value) == expected
