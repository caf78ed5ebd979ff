"""Stream pieces become the text and the calls that were meant, whatever their cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.assembly import (
    BAD_ARGUMENTS_KEY,
    Characters,
    TextGate,
    ToolCall,
    ToolCalls,
    is_speakable,
)
from speech.text_clean import clean


@given(st.lists(st.text(alphabet=" \n\tab.")))
def test_the_gate_passes_all_but_leading_blanks_once_something_can_be_spoken(
    pieces: list[str],
) -> None:
    gate = TextGate()
    out = "".join(gate.push(piece) for piece in pieces)
    whole = "".join(pieces)
    assert out == gate.text == (whole.lstrip() if is_speakable(whole) else "")


HALVES = st.characters(categories=["Cs"])


@given(st.text(), st.lists(st.integers(0, 30)))
def test_a_character_cut_in_halves_is_whole_again(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    ends = [*sorted({2 * cut for cut in cuts}), len(units)]
    characters, start, out = Characters(), 0, ""
    for end in ends:
        piece = units[start:end].decode("utf-16-le", "surrogatepass")
        out, start = out + characters.push(piece), max(start, end)
    assert out == clean(text)


@given(st.lists(st.text(HALVES | st.characters())))
def test_whatever_comes_can_be_encoded(pieces: list[str]) -> None:
    characters = Characters()
    for piece in pieces:
        characters.push(piece).encode()
    clean("".join(pieces)).encode()


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
        ("[" * 100_000, {BAD_ARGUMENTS_KEY: "[" * 300}),
        ('{"a": "\\ud83d"}', {"a": "\ufffd"}),
        ('{"\\ude00": ["\\ud83d\\ude00\\u0000"]}', {"\ufffd": ["😀"]}),
        ('{"a": "\ud83d', {BAD_ARGUMENTS_KEY: '{"a": "\ufffd'}),
        ('{"a": "\ud83d\ude00"}', {"a": "😀"}),
        ('{"a": 1e999}', {BAD_ARGUMENTS_KEY: '{"a": 1e999}'}),
        ('{"a": [NaN]}', {BAD_ARGUMENTS_KEY: '{"a": [NaN]}'}),
        ('{"a": -Infinity}', {BAD_ARGUMENTS_KEY: '{"a": -Infinity}'}),
        ('{"a": 2.5e3}', {"a": 2500.0}),
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


def test_a_name_that_cannot_be_encoded() -> None:
    assert collect((0, "a\ud83d", "f\x00\ud83d", "{}")) == [("f\ufffd", "{}")]


def test_a_call_without_a_name_is_none() -> None:
    assert collect((0, "a", None, "{}")) == []
