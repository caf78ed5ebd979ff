"""Recorded replies: one JSON line each, in order."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from bot.config.schema import LlmSettings
from bot.llm.answer import Answer
from bot.llm.attempt import attempt
from speech.errors import UsageError


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call; ``at`` is when it was complete, in seconds since the request."""

    name: str
    arguments: dict[str, Any]
    at: float


@dataclass(frozen=True, slots=True)
class Reply:
    """One streamed completion: pieces of text with the seconds since the request.

    With ``prompt_contains`` it answers only a user message that holds this text, whatever
    the case; without, whatever comes next. ``prompt`` and ``model`` say where it is from.
    """

    chunks: tuple[tuple[float, str], ...] = ()
    tool_calls: tuple[RecordedCall, ...] = ()
    prompt_contains: str | None = None
    prompt: str | None = None
    model: str | None = None

    @property
    def text(self) -> str:
        """The whole answer."""
        return "".join(text for _, text in self.chunks)

    def to_json(self) -> str:
        """One line; empty fields are left out."""
        record: dict[str, Any] = {
            "prompt_contains": self.prompt_contains,
            "prompt": self.prompt,
            "model": self.model,
            "chunks": [[round(at, 4), text] for at, text in self.chunks],
            "tool_calls": [
                {"name": call.name, "arguments": call.arguments, "at": round(call.at, 4)}
                for call in self.tool_calls
            ],
        }
        kept = {key: value for key, value in record.items() if value or key == "chunks"}
        return json.dumps(kept, ensure_ascii=False)


FIELDS = {"prompt_contains", "prompt", "model", "chunks", "tool_calls"}


def read_replies(path: Path) -> list[Reply]:
    """Read a recording; ``UsageError`` names file, line and what is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the recording {path}: {error}") from error
    replies = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                replies.append(parse_reply(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise UsageError(f"{path}, line {number}: not a recorded reply: {error}") from error
    if not replies:
        raise UsageError(f"the recording {path} holds no replies")
    return replies


def parse_reply(record: dict[str, Any]) -> Reply:
    """From a line's JSON object; raises ``ValueError`` and the like."""
    if unknown := sorted(set(record) - FIELDS):
        raise ValueError(f"unknown field {unknown[0]!r}, expected {', '.join(sorted(FIELDS))}")
    chunks = tuple((float(at), str(text)) for at, text in record.get("chunks", ()))
    calls = tuple(
        RecordedCall(str(call["name"]), dict(call.get("arguments", {})), float(call.get("at", 0)))
        for call in record.get("tool_calls", ())
    )
    if not chunks and not calls:
        raise ValueError("it has neither chunks nor tool_calls")
    times = [at for at, _ in chunks]
    if times != sorted(times) or (times and times[0] < 0):
        raise ValueError("the times of its chunks go backwards")
    contains, prompt, model = (record.get(key) for key in ("prompt_contains", "prompt", "model"))
    return Reply(chunks, calls, contains, prompt, model)


def check_can_write(path: Path) -> None:
    """Raise ``UsageError`` before a model is asked for what could then not be kept."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(f"the folder of {path} does not exist; create it first")
    try:
        if path.exists():
            path.open("r+b").close()
        else:
            tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise _unwritable(path, error) from error


def write_replies(path: Path, replies: Sequence[Reply]) -> None:
    """Write a recording; ``UsageError`` if the file cannot be written."""
    try:
        path.write_text("".join(reply.to_json() + "\n" for reply in replies), encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {error.strerror or error}")


@dataclass
class Recorder:
    """Asks a model turn by turn, in one conversation, and keeps when each piece came.

    Raises ``Faulted`` where the model does not answer within the limits.
    """

    client: AsyncOpenAI
    model: str
    system_prompt: str
    options: dict[str, Any] = field(default_factory=dict)
    limits: LlmSettings = field(default_factory=LlmSettings)
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._messages: list[Any] = [{"role": "system", "content": self.system_prompt}]

    async def ask(self, prompt: str) -> Reply:
        """One turn; the answer joins the conversation."""
        self._messages.append({"role": "user", "content": prompt})
        async with aclosing(self._pieces()) as pieces:
            chunks = tuple([piece async for piece in pieces])
        reply = Reply(chunks, prompt=prompt, model=self.model)
        self._messages.append({"role": "assistant", "content": reply.text})
        return reply

    async def _pieces(self) -> AsyncGenerator[tuple[float, str], None]:
        asked = self.clock()
        asking = {"model": self.model, "messages": self._messages, "stream": True}
        chunks = attempt(self.client, asking | self.options, Answer(tools=False), self.limits)
        async with aclosing(chunks):
            async for chunk in chunks:
                if chunk.choices and (text := chunk.choices[0].delta.content):
                    yield self.clock() - asked, text
