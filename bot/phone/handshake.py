"""The first messages of a media stream, up to its ``start``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from loguru import logger
from starlette.websockets import WebSocket

from bot.web.listen import MAX_MESSAGE_BYTES
from bot.web.untrusted import NotJsonError, read_json

START_DEADLINE_S = 10.0
"""A stream that has not started by then is closed."""


@dataclass(frozen=True)
class StreamStart:
    """Who is on the stream: the ids that later messages and the hang-up need."""

    stream_id: str
    call_id: str
    encoding: str = "PCMU"


class NoStartError(Exception):
    """The stream did not start: the deadline passed, or the peer left before it."""


def parse_event(message: str | bytes) -> dict[str, Any] | None:
    """The message as a JSON object with a text ``event``; None for anything else."""
    try:
        event = read_json(message, MAX_MESSAGE_BYTES)
    except NotJsonError:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return None
    return event


def read_start(provider: str, event: dict[str, Any]) -> StreamStart | None:
    """The ids in a ``start`` message; None for other messages and for one without ids."""
    start = event.get("start")
    if event["event"] != "start" or not isinstance(start, dict):
        return None
    stream_id, call_id, encoding = {
        "twilio": lambda: (start.get("streamSid"), start.get("callSid"), None),
        "telnyx": lambda: (
            event.get("stream_id"),
            start.get("call_control_id"),
            _field(start, "media_format", "encoding"),
        ),
        "plivo": lambda: (start.get("streamId"), start.get("callId"), None),
        "exotel": lambda: (start.get("stream_sid"), start.get("call_sid"), None),
    }[provider]()
    if not isinstance(stream_id, str) or not isinstance(call_id, str):
        return None
    return StreamStart(stream_id, call_id, encoding if isinstance(encoding, str) else "PCMU")


def _field(parent: dict[str, Any], *path: str) -> Any:
    value: Any = parent
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


async def await_start(socket: WebSocket, provider: str) -> StreamStart:
    """Read until the stream starts; what comes before (early media, noise) is dropped.

    pipecat's ``parse_telephony_websocket`` looks at exactly two messages, waits for ever and
    logs their content, hence our own. Raises ``NoStartError``.
    """
    dropped = 0
    try:
        async with asyncio.timeout(START_DEADLINE_S):
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    raise NoStartError("the carrier left")
                event = parse_event(message.get("text") or message.get("bytes") or "")
                start = read_start(provider, event) if event else None
                if start:
                    return start
                dropped += event is None or event["event"] != "connected"
    except TimeoutError:
        raise NoStartError("the deadline passed") from None
    finally:
        if dropped:
            logger.warning("Ignored {} messages before the stream's start", dropped)
