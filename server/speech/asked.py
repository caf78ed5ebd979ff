"""A request for speech, whichever API asked, and why one is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from server.speech.encoders import Format

Events = Literal["reference", "openai"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be said and how it is to be sent.

    ``events``: as server-sent events of that API. ``fresh_s``: the request is stale unless its
    audio begins within so long; None: never.
    """

    text: str
    voice: str
    speed: float
    format_name: str
    format: Format
    sample_rate: int
    stream: bool = True
    events: Events | None = None
    request_id: str = "unknown"
    fresh_s: float | None = None


class Refusal(Exception):
    """The request is answered with this status instead of speech.

    ``reason`` is for the client, ``more`` stands beside it in the body, ``param`` is the field
    that is wrong.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        *,
        param: str | None = None,
        more: dict[str, Any] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.status, self.reason, self.param, self.more = status, reason, param, more or {}
        wait_s = None if retry_after_s is None else str(max(1, math.ceil(retry_after_s)))
        self.headers = {"Retry-After": wait_s} if wait_s else {}


class Fields:
    """A request's JSON object, read one field at a time; null is a field left out."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def text(self, name: str, default: str) -> str:
        """Raises ``Refusal`` (400) for what is no string."""
        value = self._values.get(name)
        if not isinstance(value, str | None):
            raise Refusal(400, f"{name} must be a string", param=name)
        return default if value is None else value

    def number(self, name: str, default: float | None) -> float | None:
        """Raises ``Refusal`` (400) for what is no finite number."""
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise Refusal(400, f"{name} must be a number", param=name)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise Refusal(400, f"{name} must be a number", param=name)
        return number

    def truth(self, name: str, default: bool) -> bool:
        """Raises ``Refusal`` (400) for what is neither true nor false."""
        value = self._values.get(name)
        if not isinstance(value, bool | None):
            raise Refusal(400, f"{name} must be true or false", param=name)
        return default if value is None else value

    def one_of(self, name: str, allowed: list[Any], default: Any) -> Any:
        """Raises ``Refusal`` (400) for any other value."""
        value = self._values.get(name)
        if value is None:
            return default
        # 1 == True, and a list has no hash: both are compared with care
        if isinstance(value, bool | list | dict) or value not in allowed:
            raise Refusal(400, f"{name} must be one of {allowed}", param=name)
        return value
