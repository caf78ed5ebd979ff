"""``<pending id="book_table">Your table is booked.</pending>``: claims marked by the model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from speech.evidence.claims import ANY

LONGEST_NAME = 64
MOST_DEEP = 8
"""Markers inside one another; more is a model in a loop."""

_QUOTE = r"[\"'“”]"
_TAG = re.compile(
    r"<\s{0,3}(?:(?P<close>/)\s{0,3}pending|pending\b)"
    r"(?:(?:\s{0,3}[:=]\s{0,3}|\s{1,3}(?:id|tool|name|for)\s{0,3}=\s{0,3})"
    rf"(?:{_QUOTE}(?P<quoted>[^\"'“”<>\n]{{0,{LONGEST_NAME}}}){_QUOTE}(?=\s{{0,3}}/?>)"
    rf"|{_QUOTE}?(?P<name>[\w.-]{{0,{LONGEST_NAME}}}){_QUOTE}?))?"
    rf"(?:\s{{1,3}}[\w-]{{1,16}}\s{{0,3}}=\s{{0,3}}{_QUOTE}?[\w.-]{{0,32}}{_QUOTE}?){{0,2}}"
    r"(?:\s{0,3}/?>|[^\s<>]{1,32}>)?",
    re.IGNORECASE,
)
"""Lenient: small models leave out quotes and the sign at the end, and add attributes."""

_BEGINNING = re.compile(
    r"<\s{0,3}/?\s{0,3}(?:p|pe|pen|pend|pendi|pendin|pending(?:[\s:=/][^<>]{0,240})?)?\Z",
    re.IGNORECASE,
)
"""What may become a tag, or a longer one, with the next piece; no tag is longer."""

_TORN = re.compile(r"<\s{0,3}/?\s{0,3}(?:pe|pen|pend|pendi|pendin)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Text without markers, and the names of those around it."""

    text: str
    names: frozenset[str] = frozenset()


class MarkerParser:
    """Takes the model's text piece by piece, cut anywhere, and gives it without markers.

    What is no marker is text, always; what is one is never text, however broken: without
    its ``>``, its name (then it stands for anything, ``ANY``), or its end (then it reaches
    to the end of the reply). An end without a beginning is left out.
    """

    def __init__(self) -> None:
        self._held = ""
        self._open: list[str] = []

    def push(self, text: str) -> list[Piece]:
        """What is known to be text by now."""
        text = self._held + text
        beginning = _BEGINNING.search(text, max(0, text.rfind("<")))
        end = beginning.start() if beginning else len(text)
        self._held = text[end:]
        return _joined(self._pieces(text[:end]))

    def flush(self) -> list[Piece]:
        """The rest; the next reply begins anew."""
        rest, self._held = _TORN.sub("", self._held), ""
        pieces = _joined(self._pieces(rest))
        self._open.clear()
        return pieces

    def reset(self) -> None:
        """The reply was cut off."""
        self._held = ""
        self._open.clear()

    def _pieces(self, text: str) -> Iterator[Piece]:
        at = 0
        for tag in _TAG.finditer(text):
            yield self._piece(text[at : tag.start()])
            self._turn(tag)
            at = tag.end()
        yield self._piece(text[at:])

    def _piece(self, text: str) -> Piece:
        return Piece(text, frozenset(self._open))

    def _turn(self, tag: re.Match[str]) -> None:
        if not tag["close"]:
            self._open[MOST_DEEP - 1 :] = [(tag["quoted"] or tag["name"] or ANY).strip()]
        elif self._open:
            self._open.pop()


def _joined(pieces: Iterator[Piece]) -> list[Piece]:
    """Neighbours with the same names are one; none is empty."""
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if joined and joined[-1].names == piece.names:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.names)
        else:
            joined.append(piece)
    return joined


def without_markers(text: str) -> str:
    """A whole reply's text as it is spoken."""
    parser = MarkerParser()
    return "".join(piece.text for piece in parser.push(text) + parser.flush())
