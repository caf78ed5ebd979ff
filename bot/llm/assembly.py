"""One answer put together from stream deltas: text to pass on, tool calls to complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

BAD_ARGUMENTS_KEY = "__arguments_are_not_json__"
"""Argument under which a tool receives what the model wrote instead of a JSON object."""

MAX_BAD_ARGUMENTS_CHARS = 300


class TextGate:
    """Holds white space until a word follows it.

    Blank text alone never leaves: nobody waits for speech that cannot come, and a
    completion of blanks counts as empty.
    """

    def __init__(self) -> None:
        self.text = ""

    def push(self, piece: str) -> str:
        """What may go on now; leading white space of the answer is dropped."""
        out = piece if self.text else piece.lstrip()
        self.text += out
        return out


@dataclass
class ToolCall:
    """A call under construction; ``arguments`` grows piece by piece."""

    call_id: str
    name: str = ""
    arguments: str = ""

    def arguments_json(self) -> str:
        """Always a JSON object: what is not one travels under ``BAD_ARGUMENTS_KEY``."""
        raw = self.arguments.strip() or "{}"
        try:
            if isinstance(json.loads(raw), dict):
                return raw
        except ValueError:
            pass
        return json.dumps({BAD_ARGUMENTS_KEY: raw[:MAX_BAD_ARGUMENTS_CHARS]})


@dataclass
class ToolCalls:
    """Collects the calls of one answer.

    Some servers number every call 0 and tell them apart by id only, some send no id, some
    send a whole call again with each piece's index missing: a new id at a known index
    starts a new call.
    """

    _calls: list[tuple[int, ToolCall]] = field(default_factory=list)

    def add(self, index: int | None, call_id: str | None, name: str | None, piece: str) -> None:
        """One delta, as it came."""
        call = self._find(index or 0, call_id)
        call.name = call.name or name or ""
        call.arguments += piece

    def _find(self, index: int, call_id: str | None) -> ToolCall:
        for known_index, call in reversed(self._calls):
            if known_index == index and call_id in (None, "", call.call_id):
                return call
        call = ToolCall(call_id or f"call_{uuid4().hex[:12]}")
        self._calls.append((index, call))
        return call

    def __iter__(self) -> Iterator[ToolCall]:
        return (call for _, call in self._calls if call.name)

    def __bool__(self) -> bool:
        return any(True for _ in self)
