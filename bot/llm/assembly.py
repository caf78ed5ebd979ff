"""One answer put together from stream deltas: text to pass on, tool calls to complete."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

from speech.text_clean import clean, clean_json, json_text

BAD_ARGUMENTS_KEY = "__arguments_are_not_json__"
"""Argument under which a tool receives what the model wrote instead of a JSON object."""

MAX_BAD_ARGUMENTS_CHARS = 300

MOST_CALLS = 8
"""In one answer. Two or three are useful; each one runs, and its result fills the context."""


def is_speakable(text: str) -> bool:
    """A letter or digit is in it: without one no voice says anything."""
    return any(map(str.isalnum, text))


class Characters:
    """Whole characters from pieces: a server may cut an emoji into two escapes."""

    def __init__(self) -> None:
        self._half = ""

    def push(self, piece: str) -> str:
        """The clean text of what is whole; a first half waits for its second."""
        text = self._half + piece
        cut = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
        self._half = text[cut:]
        return clean(text[:cut])


class TextGate:
    """Holds white space and signs until a letter or digit follows.

    What cannot be spoken never leaves alone: nobody waits for speech that cannot come, and
    a completion of blanks or dots counts as empty.
    """

    def __init__(self) -> None:
        self.text = ""
        self._held = ""

    def push(self, piece: str) -> str:
        """What may go on now; leading white space of the answer is dropped."""
        if not self.text:
            self._held += piece
            if not is_speakable(piece):
                return ""
            piece = self._held.lstrip()
        self.text += piece
        return piece


@dataclass
class ToolCall:
    """A call under construction; ``arguments`` grows piece by piece."""

    call_id: str
    name: str = ""
    arguments: str = ""

    @property
    def size(self) -> int:
        """Characters."""
        return len(self.call_id) + len(self.name) + len(self.arguments)

    def arguments_json(self) -> str:
        """Always a JSON object: what is not one travels under ``BAD_ARGUMENTS_KEY``."""
        raw = clean(self.arguments).strip() or "{}"
        try:
            given = json.loads(raw, parse_float=_finite, parse_constant=_finite)
            if isinstance(given, dict):
                tidy = clean_json(given)
                return raw if tidy == given else json_text(tidy)
        except (ValueError, RecursionError):
            pass
        return json_text({BAD_ARGUMENTS_KEY: raw[:MAX_BAD_ARGUMENTS_CHARS]})


def _finite(number: str) -> float:
    """Python reads ``NaN``, ``Infinity`` and ``1e999``, and would write them; JSON has none."""
    if math.isfinite(value := float(number)):
        return value
    raise ValueError("no JSON number")


@dataclass
class ToolCalls:
    """Collects the calls of one answer, up to ``MOST_CALLS``; then it is ``full``.

    Some servers number every call 0 and tell them apart by id only, some send no id, some
    send a whole call again with each piece's index missing: a new id at a known index
    starts a new call.
    """

    full: bool = False
    _calls: list[tuple[int, ToolCall]] = field(default_factory=list)

    def add(self, index: int | None, call_id: str | None, name: str | None, piece: str) -> int:
        """One delta, as it came. Returns how many characters of it were kept."""
        call = self._find(index or 0, clean(call_id or ""))
        if call is None:
            return 0
        size = call.size
        call.name = call.name or clean(name or "")
        call.arguments += piece
        return call.size - size

    def _find(self, index: int, call_id: str) -> ToolCall | None:
        if self.full:
            return None
        for known_index, call in reversed(self._calls):
            if known_index == index and call_id in ("", call.call_id):
                return call
        if len(self._calls) == MOST_CALLS:
            self.full = True
            return None
        call = ToolCall(call_id or f"call_{uuid4().hex[:12]}")
        self._calls.append((index, call))
        return call

    def __iter__(self) -> Iterator[ToolCall]:
        return (call for _, call in self._calls if call.name)

    def __bool__(self) -> bool:
        return any(True for _ in self)
