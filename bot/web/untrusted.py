"""JSON that a stranger sent: one reader, one error."""

from __future__ import annotations

import json
from typing import Any


class NotJsonError(ValueError):
    """The text is too long, not UTF-8, not JSON, or nested too deeply to read."""


def read_json(text: str | bytes, limit: int) -> Any:
    """The value of ``text``, which may have ``limit`` bytes (characters, for a str).

    Raises ``NotJsonError`` for everything that is not readable JSON.
    """
    if len(text) > limit:
        raise NotJsonError("too long")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotJsonError(type(error).__name__) from None
