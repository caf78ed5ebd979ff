"""Guards: units end where a reader of the language would end them, each when that is certain."""

from __future__ import annotations

from typing import Any

import pytest

from speech.units import UnitKind
from tests.units.rows import (
    SIZES,
    Row,
    in_pieces,
    is_right,
    labelled,
    reported,
    spoken,
    units_of,
)


@pytest.mark.parametrize("row", labelled(), ids=lambda row: f"{row.lang} {row.text[:30]}")
def test_units_end_where_the_sentences_do(row: Row) -> None:
    for size in SIZES:
        assert spoken(units_of(in_pieces(row.text, size), row.lang)) == row.units


@pytest.mark.parametrize("case", reported(), ids=lambda case: case["id"])
def test_reported_cases(case: dict[str, Any]) -> None:
    units = units_of(case["tokens"], case.get("lang", "en"))
    assert is_right(case, spoken(units))
    assert "".join(unit.written for unit in units) == "".join(case["tokens"])


def test_code_is_kept_for_the_record_and_not_spoken() -> None:
    text = "Run this:\n```python\nprint(3.5). Then! x\n```\nThat prints."
    for size in SIZES:
        units = units_of(in_pieces(text, size))
        assert [(unit.kind, unit.text) for unit in units] == [
            (UnitKind.SPOKEN, "Run this:"),
            (UnitKind.CODE, ""),
            (UnitKind.SPOKEN, "That prints."),
        ]
        assert units[1].written == "\n```python\nprint(3.5). Then! x\n```"


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Try ```x = 1. Y``` now. Good.", ["Try", "now.", "Good."]),
        ("See:\n~~~\na. B\n~~~\nDone.", ["See:", "Done."]),
        ("A ````md\n```\nx. Y\n```\n```` b.", ["A", "b."]),
        ("Never closed:\n```\nx. Y", ["Never closed:"]),
        ("Type `a. B! c` now. Then `d`.", ["Type `a. B! c` now.", "Then `d`."]),
        ("A lone ` is fine. Go on.", ["A lone ` is fine.", "Go on."]),
        ("Use ``a ` b. C`` here. Yes.", ["Use ``a ` b. C`` here.", "Yes."]),
        ("Use `a\nnext. Line.", ["Use `a", "next.", "Line."]),
    ],
)
def test_code_in_other_shapes(text: str, units: list[str]) -> None:
    for size in SIZES:
        assert spoken(units_of(in_pieces(text, size))) == units
