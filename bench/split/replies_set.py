"""The labelled set: written out from ``bench/split/replies``, the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench.split.notation import Grammar, Section, read_grammar, read_reply
from bench.split.reply import Reply

SEED = 20_261_130
QUICK_EVERY = 8
"""A quick run takes every so manyth reply."""
_FOLDER = Path(__file__).parent / "replies"


def build_set(quick: bool = False) -> list[Reply]:
    """All replies, no text twice; some of every file where it is to be quick."""
    replies = [reply for file in sorted(_FOLDER.glob("*.txt")) for reply in _of_file(file)]
    distinct = list({(reply.lang, reply.text): reply for reply in replies}.values())
    return distinct[::QUICK_EVERY] if quick else distinct


def _of_file(file: Path) -> Iterator[Reply]:
    grammar = read_grammar(file.read_text(encoding="utf-8"))
    random = Random(f"{SEED} {file.stem}")  # noqa: S311 - a file's replies hang on no other's
    for number, section in enumerate(grammar.sections, start=1):
        yield from _of_section(f"{file.stem}/{number}", grammar, section, random)


def _of_section(name: str, grammar: Grammar, section: Section, random: Random) -> Iterator[Reply]:
    for number, line in enumerate(section.lines, start=1):
        for copy in range(1, section.copies + 1):
            identity = f"{name}/{section.kind}/{number}.{copy}"
            yield read_reply(identity, section, grammar.expand(line, section.lang, random))
