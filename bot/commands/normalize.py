"""``earshot normalize``: what is said for what is written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

import click

from bot.commands.common import Invocation, earshot_command
from speech.errors import UsageError
from speech.spoken import Normalizer, Spoken
from speech.text_clean import json_text

LONGEST_LINE_BYTES = 8_000_000
"""Far more than any reply; a line without an end would fill the memory."""


@earshot_command(
    name="normalize",
    epilog="""Example:
  echo '{"id": 1, "text": "It costs $5."}' | earshot normalize
  {"id": 1, "spoken": "It costs five dollars.", "spans": [[0, 2, 0, 2], ...]}

A line may have "lang" ("en-gb", "de"); without it bot.language is taken. A span is
[spoken_start, spoken_end, source_start, source_end], in code points; there is one for each
word said. The words of the configuration's say: and no_read: are applied.""",
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.File("rb"))
def command(invocation: Invocation, files: tuple[BinaryIO, ...]) -> None:
    """Write text the way it is spoken: JSON lines in, JSON lines out.

    Reads FILE, or standard input, line by line: {"id": ..., "text": "..."}. A line that is not
    so ends the command (exit 2) and is named.
    """
    normalizers = _Normalizers(invocation)
    for stream in files or (sys.stdin.buffer,):
        for number, line in _lines(stream):
            record = _record(line, number)
            spoken = normalizers.of(record, number)(record["text"])
            click.echo(json_text(_result(record, spoken)))
            sys.stdout.flush()


class _Normalizers:
    """One for each language met."""

    def __init__(self, invocation: Invocation) -> None:
        self._settings = invocation.settings
        self._made: dict[str, Normalizer] = {}
        self.make(self._settings.bot.language)  # a bad pattern is said before the first line

    def make(self, language: str) -> Normalizer:
        if language not in self._made:
            settings = self._settings
            self._made[language] = Normalizer(language, settings.say, settings.no_read)
        return self._made[language]

    def of(self, record: dict[str, Any], number: int) -> Normalizer:
        language = record.get("lang")
        if language is not None and not isinstance(language, str):
            raise UsageError(f'line {number}: "lang" is not a text')
        return self.make((language or self._settings.bot.language)[:35])


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(LONGEST_LINE_BYTES + 1):
        number += 1
        if len(line) > LONGEST_LINE_BYTES:
            raise UsageError(f"line {number}: longer than {LONGEST_LINE_BYTES:,} bytes")
        if line.strip():
            yield number, line


def _record(line: bytes, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"line {number}: not JSON ({reason})") from error
    if not isinstance(record, dict):
        raise UsageError(f'line {number}: not an object like {{"id": 1, "text": "..."}}')
    if not isinstance(record.get("text"), str):
        raise UsageError(f'line {number}: no "text"')
    return record


def _result(record: dict[str, Any], spoken: Spoken) -> dict[str, Any]:
    spans = [
        [span.spoken_start, span.spoken_end, span.source_start, span.source_end]
        for span in spoken.spans
    ]
    return {"id": record.get("id"), "spoken": spoken.text, "spans": spans}
