"""An answer is taken as it streams in, and no longer than anyone would listen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from bot.llm.answer import Answer, text_chunk
from bot.llm.assembly import MOST_CALLS


@pytest.mark.parametrize(
    ("pieces", "text", "full"),
    [
        (["Hi", " there."], "Hi there.", False),
        (["x" * 9], "x" * 9, False),
        (["x" * 10], "x" * 10, True),
        (["word " * 2_000_000], "word word ", True),
        (["12345", "67890", "more"], "1234567890", True),
    ],
)
def test_an_endless_answer_is_cut(pieces: list[str], text: str, full: bool) -> None:
    answer = Answer(longest=10)
    handed_on = ""
    for piece in pieces:
        for chunk in answer.take(text_chunk(piece)):
            handed_on += chunk.choices[0].delta.content or ""
    assert handed_on.rstrip() == text.rstrip()
    assert answer.full == full


def tool_chunk(arguments: str, name: str | None = None) -> Any:
    chunk = text_chunk("")
    function = {"name": name, "arguments": arguments}
    piece = ChoiceDeltaToolCall.model_validate({"index": 0, "id": "c", "function": function})
    chunk.choices[0].delta = ChoiceDelta(tool_calls=[piece])
    return chunk


@pytest.mark.parametrize(
    ("piece", "spoke"), [("a", True), ("3", True), ("語", True), (" ", False), ("…*", False)]
)
def test_only_words_are_progress(piece: str, spoke: bool) -> None:
    answer = Answer()
    list(answer.take(text_chunk(piece)))
    assert (answer.spoke, answer.called, answer.is_empty) == (spoke, False, not spoke)


def test_a_piece_of_a_tool_call_is_progress_and_an_empty_one_is_not() -> None:
    answer = Answer()
    list(answer.take(tool_chunk("{", "f")))
    assert (answer.spoke, answer.called) == (False, True)
    list(answer.take(tool_chunk("")))
    assert (answer.spoke, answer.called) == (False, False)


def test_endless_arguments_are_cut() -> None:
    answer = Answer(longest=10)
    list(answer.take(tool_chunk("{" * 11, "f")))
    assert answer.full
    list(answer.take(text_chunk("more")))
    assert answer.text == ""


def test_calls_that_were_not_offered_are_not_taken() -> None:
    answer = Answer(tools=False)
    list(answer.take(tool_chunk("{}", "f")))
    assert answer.is_empty
    assert not answer.called
    assert list(answer.tool_chunks()) == []


@given(st.lists(st.text(st.characters() | st.characters(categories=["Cs"]))))
def test_what_is_handed_on_can_be_encoded(pieces: list[str]) -> None:
    answer = Answer()
    for piece in pieces:
        for chunk in answer.take(text_chunk(piece)):
            (chunk.choices[0].delta.content or "").encode()
    answer.text.encode()


def calls_of(answer: Answer) -> list[Any]:
    return [chunk.choices[0].delta.tool_calls[0] for chunk in answer.tool_chunks()]  # type: ignore[index]


@pytest.mark.parametrize("numbered", [True, False])
def test_an_answer_calls_a_few_tools_at_most(numbered: bool) -> None:
    answer = Answer()
    for number in range(300):
        chunk = tool_chunk("{}", "f")
        piece = chunk.choices[0].delta.tool_calls[0]
        piece.id, piece.index = f"c{number}", number if numbered else 0
        list(answer.take(chunk))
    assert answer.full
    calls = calls_of(answer)
    assert [call.id for call in calls] == [f"c{number}" for number in range(MOST_CALLS)]
    assert {call.function.arguments for call in calls} == {"{}"}


def test_names_take_room_too() -> None:
    answer = Answer(longest=10)
    list(answer.take(tool_chunk("", "f" * 20)))
    assert answer.full


THOUGHT = "<think>It is late, 3 < 4.</think>"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (THOUGHT + "Hello there.", "Hello there."),
        ("Well. <THINKING>hm</Thinking >Yes.", "Well. Yes."),
        ("Well. " + THOUGHT + THOUGHT + "Yes.", "Well. Yes."),
        ("<think>never closed, and more", ""),
        ("hm</think>Yes.", "hmYes."),
        ("3 < 4, a <b>bold</b> word.", "3 < 4, a <b>bold</b> word."),
    ],
)
@given(cuts=st.sets(st.integers(0, 60)))
def test_what_the_model_thinks_is_not_said(written: str, said: str, cuts: set[int]) -> None:
    answer, out, start = Answer(), "", 0
    for end in [*sorted(cuts), len(written)]:
        for chunk in answer.take(text_chunk(written[start:end])):
            out += chunk.choices[0].delta.content or ""
        start = max(start, end)
    assert out == answer.text == said


def test_thinking_is_life_but_no_speech() -> None:
    answer = Answer()
    list(answer.take(text_chunk("<think>Now")))
    assert (answer.spoke, answer.called, answer.thought) == (False, False, True)
    list(answer.take(text_chunk(" ")))
    assert not answer.thought
    assert answer.is_empty
