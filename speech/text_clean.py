"""Text that every encoder takes and JSON that every reader takes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

DEEPEST = 60
"""Levels of JSON that are kept; nothing we send or write has more than ten."""


def clean(text: str) -> str:
    """Without control characters but newline and tab; whole characters only.

    The halves of a character written as two ``\\u`` escapes are joined; a half alone, which
    no encoder takes, becomes U+FFFD.
    """
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNPRINTABLE.sub("", joined)


def clean_json(value: Any, levels: int = DEEPEST) -> Any:
    """JSON with every text in it ``clean``; null for NaN, infinity and what lies too deep."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple, dict)) and levels == 0:
        return None
    if isinstance(value, (list, tuple)):
        return [clean_json(inner, levels - 1) for inner in value]
    if isinstance(value, dict):
        return {
            clean(key) if isinstance(key, str) else key: clean_json(inner, levels - 1)
            for key, inner in value.items()
        }
    return value


def json_text(
    value: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None
) -> str:
    """``value`` as JSON that can be encoded and read by any program: see ``clean_json``."""
    return json.dumps(
        clean_json(value), ensure_ascii=False, allow_nan=False, indent=indent, default=default
    )
