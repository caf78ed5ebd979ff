"""Version 0: the reference's messages, as it reads and writes them.

A client says ``{text, …}`` or ``{"type": "close"}``; the server ``synthesis_start``, binary
frames of bare PCM16LE, ``synthesis_complete``, and ``error``. A session speaks version 0 until
a ``hello`` with version 1 has come.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from pydantic import JsonValue
from pydantic_core import to_json

from speech.wire.client import CLIENT_MESSAGES, Close, Hello
from speech.wire.codec import Vocabulary, type_of, validated
from speech.wire.errors import Code, WireError
from speech.wire.fields import Seconds
from speech.wire.json_text import MAX_MESSAGE_BYTES, as_bytes, read_object

DEFAULT_VOICE = "af_heart"
UNKNOWN_REQUEST = "unknown"
TEXT_REQUIRED = "text required"

RequestId = str | int | float
"""Repeated as it came."""


@dataclass(frozen=True, slots=True)
class Synthesize:
    """Text to be spoken after that of the messages before it."""

    text: str
    voice: str | None = None
    speed: float | None = None
    request_id: RequestId = UNKNOWN_REQUEST
    sample_rate: int | None = None
    request_timestamp: JsonValue = None


@dataclass(frozen=True, slots=True)
class SynthesisStart:
    """Sent before the first audio of a message."""

    request_id: RequestId
    _: KW_ONLY
    type: Literal["synthesis_start"] = "synthesis_start"


@dataclass(frozen=True, slots=True)
class SynthesisComplete:
    """Sent after the last audio of a message; seconds, rounded to milliseconds."""

    request_id: RequestId
    total_duration_s: Seconds
    elapsed_s: Seconds
    _: KW_ONLY
    type: Literal["synthesis_complete"] = "synthesis_complete"


@dataclass(frozen=True, slots=True)
class SynthesisError:
    """A message or its synthesis failed; the session goes on."""

    request_id: RequestId
    message: str
    _: KW_ONLY
    type: Literal["error"] = "error"


ServerMessage0 = SynthesisStart | SynthesisComplete | SynthesisError
SERVER_MESSAGES_0: tuple[type[ServerMessage0], ...] = (
    SynthesisStart,
    SynthesisComplete,
    SynthesisError,
)
SERVER_0: Vocabulary[ServerMessage0] = Vocabulary(SERVER_MESSAGES_0)
_BEFORE: Vocabulary[Hello | Close] = Vocabulary((Hello, Close))
_LATER = {type_of(message) for message in CLIENT_MESSAGES} - {"hello", "close"}


class Version0Error(WireError):
    """A message of version 0 that cannot be taken, and the request it belongs to."""

    def __init__(
        self, code: Code, detail: str = "", request_id: RequestId = UNKNOWN_REQUEST
    ) -> None:
        super().__init__(code, detail)
        self.request_id = request_id


def parse_client_0(raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> Synthesize | Close | Hello:
    """What a client said before (or without) a ``hello``; text or binary frame alike.

    As in the reference, a ``type`` that version 0 does not have is passed over where there is a
    text to speak; version 1's, whose time has not come, are not. Raises ``WireError``: for a
    ``hello`` as version 1 does, else a ``Version0Error``.
    """
    try:
        data = as_bytes(raw, limit)
        read = read_object(data)
    except WireError as error:
        raise Version0Error(error.code, str(error)) from None
    if read.get("type") in ("hello", "close"):
        return _BEFORE.parse_object(read, data)
    return _synthesize(read)


def parse_server_0(raw: str | bytes, limit: int = MAX_MESSAGE_BYTES) -> ServerMessage0:
    """What a server of version 0 said in a text frame. Raises ``WireError``."""
    return SERVER_0.parse(raw, limit)


def _synthesize(read: dict[str, Any]) -> Synthesize:
    request_id = _request_id(read)
    kind = read.get("type")
    if isinstance(kind, str) and kind in _LATER:
        raise Version0Error(Code.WRONG_ORDER, f"{kind} needs a hello before it", request_id)
    if not read.get("text"):
        raise Version0Error(Code.BAD_FIELD, TEXT_REQUIRED, request_id)
    try:
        return validated(Synthesize, read, to_json(read | {"request_id": request_id}))
    except WireError as error:
        raise Version0Error(error.code, str(error), request_id) from None


def _request_id(read: dict[str, Any]) -> RequestId:
    request_id = read.get("request_id", UNKNOWN_REQUEST)
    if isinstance(request_id, float) and not math.isfinite(request_id):  # 1e400 is JSON, inf not
        return UNKNOWN_REQUEST
    fits = isinstance(request_id, str | int | float) and not isinstance(request_id, bool)
    return request_id if fits else UNKNOWN_REQUEST
