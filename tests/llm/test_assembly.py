"""Stream pieces become the text and the calls that were meant, whatever their cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.assembly import BAD_ARGUMENTS_KEY, TextGate, ToolCall, ToolCalls


@given(st.lists(st.text(alphabet=" \n\tab.")))
def test_the_gate_passes_all_but_leading_blanks(pieces: list[str]) -> None:
    gate = TextGate()
    out = "".join(gate.push(piece) for piece in pieces)
    assert out == "".join(pieces).lstrip() == gate.text


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("", {}),
        ("  ", {}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": ', {BAD_ARGUMENTS_KEY: '{"a":'}),
        ("[1]", {BAD_ARGUMENTS_KEY: "[1]"}),
        ('"x"', {BAD_ARGUMENTS_KEY: '"x"'}),
        ("nonsense", {BAD_ARGUMENTS_KEY: "nonsense"}),
    ],
)
def test_arguments_are_always_an_object(raw: str, arguments: dict[str, object]) -> None:
    assert json.loads(ToolCall("c", "f", raw).arguments_json()) == arguments


def collect(*deltas: tuple[int | None, str | None, str | None, str]) -> list[tuple[str, str]]:
    calls = ToolCalls()
    for delta in deltas:
        calls.add(*delta)
    assert bool(calls) == bool(list(calls))
    return [(call.name, call.arguments) for call in calls]


def test_pieces_of_one_call() -> None:
    pieces = [(0, "a", "f", ""), (0, None, None, '{"x"'), (0, None, None, ": 1}")]
    assert collect(*pieces) == [("f", '{"x": 1}')]


def test_two_calls_by_index() -> None:
    assert collect((0, "a", "f", "{}"), (1, "b", "g", "{}")) == [("f", "{}"), ("g", "{}")]


def test_two_calls_by_id_at_one_index() -> None:
    assert collect((0, "a", "f", "{}"), (0, "b", "g", "{}")) == [("f", "{}"), ("g", "{}")]


def test_no_id_and_no_index() -> None:
    assert collect((None, None, "f", "{"), (None, "", None, "}")) == [("f", "{}")]


def test_a_call_without_a_name_is_none() -> None:
    assert collect((0, "a", None, "{}")) == []
