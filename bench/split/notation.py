"""The files in ``bench/split/replies``: labelled replies, one a line.

    ;; a comment
    === KIND LANGUAGE MATCH [WAY] [xN]     replies follow; each line is written out N times
    === rule NAME LANGUAGE                 what a {NAME} stands for: one line of those

    ¦   a unit ends here                   ╎   it may end here: either is right
    ⏎   a line break, which ends a unit    ⟦…⟧ not spoken
    ⟪…⟫ right spoken or left out           {3-20} a number in that range, {00-59} with zeros

The end of a reply ends its last unit. ``{Name}`` is ``{name}`` with a capital.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import cast

from bench.split.reply import Match, Reply, Span, is_letter

_SLOT = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Section:
    """A kind's lines, before they are written out."""

    kind: str
    lang: str
    match: Match
    way: str
    copies: int
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Grammar:
    """A file's sections and its rules by name and language."""

    sections: list[Section] = field(default_factory=list)
    rules: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def expand(self, line: str, lang: str, random: Random) -> str:
        """The line with its slots filled, no alternative twice where there are enough."""
        used: set[str] = set()

        def fill(slot: re.Match[str]) -> str:
            return self._choose(slot[1], lang, random, used)

        return _SLOT.sub(fill, line)

    def _choose(self, name: str, lang: str, random: Random, used: set[str]) -> str:
        if span := _RANGE.fullmatch(name):
            return str(random.randint(int(span[1]), int(span[2]))).zfill(len(span[1]))
        lines = self.rules[name.lower(), lang]
        line = random.choice([line for line in lines if line not in used] or lines)
        used.add(line)
        text = _SLOT.sub(lambda slot: self._choose(slot[1], lang, random, used), line)
        return text[0].upper() + text[1:] if name[0].isupper() else text


def read_grammar(text: str) -> Grammar:
    """Of one file. Raises ``ValueError`` for a line before the first section."""
    grammar = Grammar()
    lines: list[str] | None = None
    for line in text.splitlines():
        if not line.strip() or line.startswith(";;"):
            continue
        if line.startswith("=== "):
            lines = _open(grammar, line.split()[1:])
        elif lines is None:
            raise ValueError(f"no section before: {line}")
        else:
            lines.append(line)
    return grammar


def _open(grammar: Grammar, words: list[str]) -> list[str]:
    if words[0] == "rule":
        return grammar.rules.setdefault((words[1], words[2]), [])
    kind, lang, match, *more = words
    copies = next((int(word[1:]) for word in more if re.fullmatch(r"x\d+", word)), 1)
    way = next((word for word in more if not re.fullmatch(r"x\d+", word)), "")
    grammar.sections.append(Section(kind, lang, cast(Match, match), way, copies))
    return grammar.sections[-1].lines


def read_reply(name: str, section: Section, line: str) -> Reply:
    """A reply from its written-out line."""
    reader = _Reader()
    for character in line:
        reader.take(character)
    reader.end()
    return Reply(
        name, section.kind, section.lang, section.match, "".join(reader.text),
        tuple(reader.ends), tuple(reader.maybe), tuple(reader.silent), tuple(reader.either),
        section.way,
    )  # fmt: skip


class _Reader:
    """Text and offsets, character by character."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.ends: list[int] = []
        self.maybe: list[int] = []
        self.silent: list[Span] = []
        self.either: list[Span] = []
        self._opened = 0
        self._quiet = False
        self._spoken = False  # something to speak since the last end
        self._marks: dict[str, Callable[[], None]] = {
            "¦": self.end, "╎": self._end_maybe, "⏎": self._break_line, "⟦": self._open_silent,
            "⟧": self._close_silent, "⟪": self._open, "⟫": self._close_either,
        }  # fmt: skip

    def take(self, character: str) -> None:
        if mark := self._marks.get(character):
            mark()
            return
        self.text.append(character)
        self._spoken = self._spoken or (not self._quiet and is_letter(character))

    def end(self) -> None:
        """A unit ends, if there is anything in it to speak."""
        if self._spoken:
            self.ends.append(self._length())
        self._spoken = False

    def _end_maybe(self) -> None:
        self.maybe.append(self._length())

    def _break_line(self) -> None:
        if not self._quiet:
            self.end()
        self.text.append("\n")

    def _open(self) -> None:
        self._opened = len(self.text)

    def _open_silent(self) -> None:
        self._open()
        self._quiet = True

    def _close_silent(self) -> None:
        self.silent.append((self._opened, len(self.text)))
        self._quiet = False

    def _close_either(self) -> None:
        self.either.append((self._opened, len(self.text)))

    def _length(self) -> int:
        """Without the blanks at the end."""
        return len("".join(self.text).rstrip())
