"""Guards: markers are never spoken, never swallow text, and do not depend on token borders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.evidence.markers import MarkerParser, Piece, without_markers


def pieces(*tokens: str) -> list[tuple[str, set[str]]]:
    parser = MarkerParser()
    found: list[Piece] = [piece for token in tokens for piece in parser.push(token)]
    joined: list[tuple[str, set[str]]] = []
    for piece in found + parser.flush():
        if joined and joined[-1][1] == piece.names:
            joined[-1] = (joined[-1][0] + piece.text, set(piece.names))
        else:
            joined.append((piece.text, set(piece.names)))
    return joined


TABLE = [
    ('Hi. <pending id="book">Done.</pending> Bye.',
     [("Hi. ", set()), ("Done.", {"book"}), (" Bye.", set())]),
    ("<pending id=book>Done.</pending>", [("Done.", {"book"})]),
    ("<pending:book>Done.</pending>", [("Done.", {"book"})]),
    ("<pending=“book”>Done.</pending>", [("Done.", {"book"})]),
    ("<PENDING tool='book'>Done.</Pending >", [("Done.", {"book"})]),
    ("< pending name=a.b-c_1 >Done.</ pending>", [("Done.", {"a.b-c_1"})]),
    ("<pending>Done.</pending>", [("Done.", {""})]),
    ("<pending id=\"\">Done.", [("Done.", {""})]),
    ('<pending id="book">Done. And more.', [("Done. And more.", {"book"})]),
    ('<pending id="book">Done.</pending', [("Done.", {"book"})]),
    ('<pending id="book">Done.</pend', [("Done.", {"book"})]),
    ('<pending id="book Done and done.', [(" Done and done.", {"book"})]),
    ("<pending Done.</pending>", [(" Done.", {""})]),
    ("Done.</pending> Bye.", [("Done. Bye.", set())]),
    ('<pending id="a">A <pending id="b">B</pending> C</pending> D',
     [("A ", {"a"}), ("B", {"a", "b"}), (" C", {"a"}), (" D", set())]),
    ('<pending id="book table">Done.</pending>', [("Done.", {"book table"})]),
    ('<pending id="book()" >Done.', [("Done.", {"book()"})]),
    ('<pending id=book()>Done.', [("Done.", {"book"})]),
    ('<pending id="book" tool="x">Done.', [("Done.", {"book"})]),
    ('<pending class="x" id="book">Done.', [("Done.", {""})]),
    (f"<pending id={'a' * 90}>Done.", [("Done.", {"a" * 64})]),
    ('<pending id="book Done." she said. "Yes."',
     [(' Done." she said. "Yes."', {"book"})]),
    ("Done.</pendingAnd more.", [("Done.And more.", set())]),
    ("3 < 5, <p> and <pendings> and <pen> stay", None),
    ("a <", None),
    ("a <p", None),
    ("It is pending.", None),
    ("<pending \n id=\"x\">Done.", [("Done.", {"x"})]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_table(text: str, expected: list[tuple[str, set[str]]] | None) -> None:
    expected = [(text, set())] if expected is None else expected
    assert pieces(text) == expected
    assert pieces(*text) == expected
    assert without_markers(text) == "".join(part for part, _ in expected)


ALPHABET = st.sampled_from(
    ["<", ">", "/", "pending", "pend", " ", "\n", 'id="x"', "id=", '"', ":", "=", "a", "B.", "é"]
)


@given(st.lists(ALPHABET, max_size=40).map("".join), st.data())
def test_any_split_gives_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=20)))
    tokens = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert pieces(*tokens) == pieces(text)


@given(st.text(st.characters(exclude_characters="<"), max_size=60))
def test_text_without_markers_is_as_it_was(text: str) -> None:
    assert without_markers(text) == text


def test_a_reply_does_not_open_the_next() -> None:
    parser = MarkerParser()
    parser.push("<pending>Done.")
    parser.flush()
    assert parser.push("Hello. ") == [Piece("Hello. ")]
    parser.push("<pending>Done. <pend")
    parser.reset()
    assert parser.push("Hello. ") == [Piece("Hello. ")]


def test_much_text_takes_time_in_proportion() -> None:
    parser = MarkerParser()
    text = "<pending " * 20_000 + "x" * 200_000
    assert sum(len(piece.text) for piece in parser.push(text) + parser.flush()) > 200_000
