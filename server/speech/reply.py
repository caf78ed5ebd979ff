"""The body of an answer, sent as it is made."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from typing import Any

from loguru import logger
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Send

from server.speech.asked import Asked
from server.speech.rendering import Rendering
from speech.redact import place_of

EVENT_STREAM = "text/event-stream"
_NO_BUFFER = {"cache-control": "no-cache", "x-accel-buffering": "no"}


async def while_connected(receive: Receive, work: Awaitable[None]) -> None:
    """Do the work, and drop it at once if the client leaves: ``ClientDisconnect``.

    The request's body has been read.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.create_task(_disconnect(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.wait({working, leaving})
    if working.cancelled():
        raise ClientDisconnect
    working.result()


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Sender:
    """Writes one HTTP response; a reader that takes nothing for ``stall_s`` ends it."""

    def __init__(self, send: Send, stall_s: float) -> None:
        self._send, self._stall_s = send, stall_s

    async def start(self, media_type: str, headers: dict[str, str] | None = None) -> None:
        """Status 200 and the headers."""
        named = {"content-type": media_type, **(headers or {})}
        raw = [(name.lower().encode(), value.encode()) for name, value in named.items()]
        await self._bounded({"type": "http.response.start", "status": 200, "headers": raw})

    async def body(self, data: bytes, *, last: bool = False) -> None:
        """A part of the body. Raises ``TimeoutError`` for a reader that sleeps too long."""
        await self._bounded({"type": "http.response.body", "body": data, "more_body": not last})

    async def _bounded(self, message: dict[str, Any]) -> None:
        async with asyncio.timeout(self._stall_s):
            await self._send(message)


async def stream_bytes(sender: Sender, asked: Asked, pieces: AsyncIterator[bytes]) -> None:
    """The audio as the body; it ends short, and the connection with it, where speech fails."""
    await sender.start(asked.format.media_type)
    async for piece in pieces:
        await sender.body(piece)
    await sender.body(b"", last=True)


async def stream_events(
    sender: Sender, asked: Asked, rendering: Rendering, pieces: AsyncIterator[bytes]
) -> None:
    """The audio as server-sent events; a failure is an event too."""
    make = _reference_events if asked.events == "reference" else _openai_events
    await sender.start(f"{EVENT_STREAM}; charset=utf-8", _NO_BUFFER)
    async with aclosing(make(asked, rendering, pieces)) as events:
        async for event in events:
            await sender.body(event)
    await sender.body(b"", last=True)


async def _reference_events(
    asked: Asked, rendering: Rendering, pieces: AsyncIterator[bytes]
) -> AsyncGenerator[bytes]:
    request = {"request_id": asked.request_id}
    yield _event(
        "audio_stream_start",
        request
        | {"format": asked.format_name, "voice": asked.voice, "sample_rate": asked.sample_rate},
    )
    count = 0
    try:
        async for piece in pieces:
            yield _event("audio_chunk", request | {"seq": count, "data": _base64(piece)})
            count += 1
    except Exception as error:  # the status is sent: only the stream itself can tell
        logger.warning("A request failed in its stream: {}", place_of(error))
        yield _event("error", request | {"message": "synthesis failed"})
        return
    ended = {"total_chunks": count, "duration_s": round(rendering.audio_s, 3)}
    yield _event("audio_stream_end", request | ended)


async def _openai_events(
    asked: Asked, rendering: Rendering, pieces: AsyncIterator[bytes]
) -> AsyncGenerator[bytes]:
    try:
        async for piece in pieces:
            yield _data({"type": "speech.audio.delta", "audio": _base64(piece)})
    except Exception as error:  # as above
        logger.warning("A request failed in its stream: {}", place_of(error))
        yield _data({"type": "error", "error": {"message": "synthesis failed"}})
        return
    # its unit is the token, of which a speech model of phonemes has none
    usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    yield _data({"type": "speech.audio.done", "usage": usage})


def _event(name: str, fields: dict[str, Any]) -> bytes:
    return f"event: {name}\n".encode() + _data(fields)


def _data(fields: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(fields)}\n\n".encode()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
