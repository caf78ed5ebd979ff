"""Whatever comes in, what goes out can be encoded, and is JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.text_clean import DEEPEST, clean, clean_json, json_text
from speech.timeline import TimelineEvent

TEXT = st.text(st.characters() | st.characters(categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(TEXT, inner),
)


def refuse(constant: str) -> None:
    raise ValueError(constant)


def strictly(text: str) -> Any:
    return json.loads(text.encode(), parse_constant=refuse)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\ud83d\ude00", "😀"),
        ("a\ud83db\ude00", "a\ufffdb\ufffd"),
        ("\x00a\x1b[1mb\r\n\tc\x9f", "a[1mb\n\tc"),
        ("é\ufeff漢", "é\ufeff漢"),
    ],
)
def test_clean(raw: str, text: str) -> None:
    assert clean(raw) == text


@given(VALUES)
def test_json_is_json_for_any_reader(value: Any) -> None:
    assert strictly(json_text(value)) == clean_json(value)


def test_what_json_has_not_becomes_null() -> None:
    assert strictly(json_text([float("nan"), {"a": float("inf")}, (1.5,)])) == [
        None,
        {"a": None},
        [1.5],
    ]


def test_nesting_is_cut_before_it_breaks_a_reader() -> None:
    deep: Any = "bottom"
    for _ in range(5_000):
        deep = [deep]
    assert json_text(deep) == "[" * DEEPEST + "null" + "]" * DEEPEST


def test_a_timeline_line_is_json() -> None:
    event = TimelineEvent(
        "tool_call", 1.0, fields={"arguments": {"s": float("inf"), "t": "\ud800"}}
    )
    assert strictly(event.to_json())["arguments"] == {"s": None, "t": "\ufffd"}
