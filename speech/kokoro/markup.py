"""What is written into a text for the reader or the synthesiser and is not itself spoken."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = "speak|break|p|s"
_INLINE = (
    "w|emphasis|prosody|say-as|phoneme|sub|voice|audio|mark|lang|(?:amazon|mstts|google):[a-z-]+"
)
"""Elements of SSML; no other text in angle brackets is taken for a tag."""
_LONGEST_LABEL, _LONGEST_HINT, _LONGEST_TARGET = 200, 99, 2_000
"""Characters. They keep the search linear in texts full of opening brackets."""
MARKUP = re.compile(
    rf"!?\[(?! {{0,{_LONGEST_LABEL}}}\])(?P<label>[^\[\]\n]{{1,{_LONGEST_LABEL}}})\]"
    rf"\((?:/(?P<hint>[^/\n]{{0,{_LONGEST_HINT}}})/"
    rf"|(?:[^()\s]|\([^()\s]{{0,{_LONGEST_LABEL}}}\)){{1,{_LONGEST_TARGET}}}"
    rf"(?:\s\"[^\"\n]{{0,{_LONGEST_LABEL}}}\")?)\)"
    rf"|</?(?:(?P<block>{_BLOCK})|{_INLINE})(?:\s[^<>\n]{{0,{_LONGEST_LABEL}}})?/?>",
    re.IGNORECASE,
)
"""A word with a hint (group ``hint``), a link or picture (``label`` alone), or a tag of SSML."""


_HUM = re.compile(
    # Neither an abbreviation in capitals ("HMM") nor a measure ("5 mm").
    r"(?<![\w-])(?<!\d )(?:(?P<nod>[Mm]+-?[Hh][Mm]+)|(?P<mm>[Mm]m+)|(?P<hm>[Hh]m+))(?![\w-])"
)
_HUMMED = {"nod": "mhˈm", "mm": "mː", "hm": "hmː"}
"""What is hummed, and how; spelled as words they are letters, "em aitch em"."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the text as it is to be read.

    ``hint`` is how its writer wants it said, None for text between such words. ``joins`` for
    text that follows one.
    """

    text: str
    hint: str | None = None
    joins: bool = False


def parts(text: str) -> Iterator[Part]:
    """The text in order, without its markup.

    ``[word](/phonemes/)`` is a word with a hint. Of a Markdown link or picture the label is
    left, of SSML what its tags enclose. What is hummed ("mm-hm") has a hint too. Anything else is
    text, broken markup too.
    """
    plain, position, begun = "", 0, False
    for match in MARKUP.finditer(text):
        plain += text[position : match.start()]
        position = match.end()
        if match["hint"] is None:
            plain += match["label"] or (" " if match["block"] and not plain[-1:].isspace() else "")
            continue
        yield from _hummed(plain, begun)
        yield Part(match["label"], match["hint"])
        plain, begun = "", True
    yield from _hummed(plain + text[position:], begun)


def _hummed(plain: str, joins: bool) -> Iterator[Part]:
    """Text without markup, its hums told apart."""
    position = 0
    for match in _HUM.finditer(plain):
        if match.start() > position:
            yield Part(plain[position : match.start()], joins=joins)
        yield Part(match.group(), _HUMMED[match.lastgroup or "mm"])
        position, joins = match.end(), True
    if position < len(plain):
        yield Part(plain[position:], joins=joins)


def as_read(text: str) -> str:
    """The text without its markup: what a listener hears, in writing."""
    return "".join(part.text for part in parts(text))


def blanked(source: str) -> str:
    """The source with blanks for its markup, and as long."""
    kept, done = [], 0
    for match in MARKUP.finditer(source):
        start, stop = match.span("label") if match["label"] is not None else (match.end(),) * 2
        kept += [source[done : match.start()], " " * (start - match.start()), source[start:stop]]
        kept.append(" " * (match.end() - stop))
        done = match.end()
    return "".join([*kept, source[done:]])


def outside_markup(text: str, cut: int) -> int:
    """Where to part the text at ``cut`` without parting markup: before it, or behind its label."""
    for match in MARKUP.finditer(text):
        start, stop = match.span()
        label = match.start("label") if match["label"] is not None else start
        if start < cut < stop:
            return start if cut <= label else stop
    return cut
