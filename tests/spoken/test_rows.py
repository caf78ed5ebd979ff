"""What is written on the left of ``rows.tsv`` is said as on the right."""

from __future__ import annotations

from pathlib import Path

import pytest

from speech.spoken import spoken

ROWS = Path(__file__).with_name("rows.tsv")


def rows() -> list[tuple[str, str, str]]:
    """Language, written, spoken; "## de" begins a language, other lines with # are headings."""
    found, language = [], ""
    for line in ROWS.read_text("utf-8").splitlines():
        if line.startswith("## "):
            language = line[3:]
        elif "\t" in line:
            written, _, said = line.partition("\t")
            found.append((language, written, said))
    return found


@pytest.mark.parametrize(("language", "written", "said"), rows())
def test_it_is_said_so(language: str, written: str, said: str) -> None:
    assert spoken(written, language).text == said


def test_there_are_rows_enough() -> None:
    assert len(rows()) > 300
