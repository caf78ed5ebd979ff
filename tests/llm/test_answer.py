"""An answer is taken as it streams in, and no longer than anyone would listen."""

from __future__ import annotations

import pytest

from bot.llm.answer import Answer, text_chunk


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
