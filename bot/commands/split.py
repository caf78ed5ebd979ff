"""``earshot split``: where the units of streamed replies end, and with which token."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import click

from bot.commands.common import Invocation, earshot_command
from speech.errors import UsageError
from speech.units import UnitKind, UnitSplitter


@dataclass(frozen=True)
class Reply:
    """One line of the input."""

    id: Any
    tokens: list[str]
    lang: str


@earshot_command(
    epilog="Example:\n"
    '  echo \'{"id": 1, "tokens": ["Hi", "!", " Dr", ".", " Who", " is", " in", "."]}\' '
    "| earshot split",
)
@click.argument("file", type=click.File("rb"), default="-")
def command(invocation: Invocation, file: BinaryIO) -> None:
    """Read replies as JSON lines {"id", "tokens", "lang"?} from FILE or standard input.

    Writes {"id", "units", "emitted_at"} for each as it comes: the texts that would be spoken, and
    for each the index of the token that released it; what only the end of the response releases
    has the number of tokens. Without "lang" the bot's language is taken.
    """
    for reply in _replies(file, invocation.settings.bot.language):
        units, emitted_at = split(reply, invocation.settings.units.longest)
        invocation.emit({"id": reply.id, "units": units, "emitted_at": emitted_at})


def split(reply: Reply, longest: int) -> tuple[list[str], list[int]]:
    """The texts to speak and the token index that released each."""
    splitter = UnitSplitter(reply.lang, longest=longest)
    released = [(n, u) for n, token in enumerate(reply.tokens) for u in splitter.feed(token)]
    released += [(len(reply.tokens), unit) for unit in splitter.finish()]
    spoken = [(unit.text, number) for number, unit in released if unit.kind is UnitKind.SPOKEN]
    return [text for text, _ in spoken], [number for _, number in spoken]


def _replies(lines: BinaryIO, lang: str) -> Iterator[Reply]:
    """Line by line: a reply that is still to come is not waited for."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _reply(number, line, lang)


def _reply(number: int, line: bytes, lang: str) -> Reply:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"line {number} is not JSON") from error
    if not isinstance(record, dict):
        raise UsageError(f'line {number} is not an object {{"id", "tokens", "lang"?}}')
    tokens, tag = record.get("tokens"), record.get("lang", lang)
    if "id" not in record:
        raise UsageError(f'line {number} has no "id"')
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise UsageError(f'line {number}: "tokens" must be a list of texts')
    if tag is not None and not isinstance(tag, str):
        raise UsageError(f'line {number}: "lang" must be a language tag such as "de"')
    return Reply(record["id"], tokens, tag or lang)
