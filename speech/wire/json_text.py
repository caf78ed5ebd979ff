"""JSON that the other side sent: one reader, one error."""

from __future__ import annotations

from typing import Any

import pydantic_core

from speech.wire.errors import Code, WireError

MAX_MESSAGE_BYTES = 128 * 1024
"""Of a control message; 5,000 characters, each as two escapes, are 60 kB."""


def as_bytes(raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> bytes:
    """The message as UTF-8. Raises ``WireError`` (oversize, bad_encoding)."""
    if len(raw) > limit:
        raise WireError(Code.OVERSIZE, f"A message may have {limit} bytes.")
    try:
        data = raw.encode() if isinstance(raw, str) else bytes(raw)
        data.decode()
    except UnicodeError:
        raise WireError(Code.BAD_ENCODING) from None
    if len(data) > limit:
        raise WireError(Code.OVERSIZE, f"A message may have {limit} bytes.")
    return data


def read_object(data: bytes) -> dict[str, Any]:
    """The JSON object that ``data`` is. Raises ``WireError`` (bad_json, not_an_object)."""
    try:
        value = pydantic_core.from_json(data, allow_inf_nan=False)
    except ValueError:
        raise WireError(Code.BAD_JSON) from None
    if not isinstance(value, dict):
        raise WireError(Code.NOT_AN_OBJECT)
    return value
