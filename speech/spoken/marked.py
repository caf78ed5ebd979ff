"""Text marked up for the synthesiser: kept as it is; and links, of which the label is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.kokoro.markup import MARKUP
from speech.spoken.draft import Draft, Edit

_TAG_NAME = re.compile(r"</?\s?([A-Za-z:-]{1,20})")
_HTML_TOO = frozenset({"p", "s"})
"""Paragraph and sentence; of a text in SSML they are fixed with the element they lie in."""


def fix_marked(draft: Draft) -> None:
    """Fix words with a hint, and elements of SSML with all that is in them.

    A tag without its other half is fixed by itself.
    """
    opened: dict[str, list[int]] = {}
    elements: list[tuple[int, int]] = []
    for match in MARKUP.finditer(draft.text):
        if match["hint"] is not None:
            draft.fix(*match.span())
        elif match.group()[0] == "<" and _name(match) not in _HTML_TOO:
            draft.fix(*match.span())
            elements += _closed(match, opened)
    done = 0
    for start, stop in sorted(elements):
        if stop > done:  # inner elements lie in one that is fixed already
            draft.fix(max(start, done), stop)
            done = stop


def _name(match: re.Match[str]) -> str:
    named = _TAG_NAME.match(match.group())
    return named[1].lower() if named else ""


def _closed(match: re.Match[str], opened: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
    """The element that the tag ends, if it ends one."""
    tag, name = match.group(), _name(match)
    if tag.startswith("</"):
        if opened.get(name):
            yield opened[name].pop(), match.end()
    elif not tag.endswith("/>"):
        opened.setdefault(name, []).append(match.start())


def link_edits(text: str) -> Iterator[Edit]:
    """Of a link or a picture the label is left."""
    for match in MARKUP.finditer(text):
        if match["hint"] is None and match["label"] is not None:
            yield match.start(), match.start("label"), ""
            yield match.end("label"), match.end(), ""
