"""A client of the speech server's WebSocket, without a network: one ASGI call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Message

from server.speech.app import SESSION_PATH

LONGEST_S = 10.0
"""No wait in these tests takes a tenth of it."""


class FakeSocket:
    """``reading`` cleared is a client that does not read its socket: nothing more is taken."""

    def __init__(self, app: ASGIApp, headers: dict[str, str] | None = None) -> None:
        self._app = app
        self._headers = headers or {}
        self._to_server: asyncio.Queue[Message] = asyncio.Queue()
        self._from_server: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self.status = 0
        self.close_code: int | None = None

    async def run(self) -> None:
        scope = {
            "type": "websocket",
            "path": SESSION_PATH,
            "raw_path": SESSION_PATH.encode(),
            "query_string": b"",
            "headers": [(k.lower().encode(), v.encode()) for k, v in self._headers.items()],
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}},
            "asgi": {"version": "3.0", "spec_version": "2.4"},
        }
        await self._to_server.put({"type": "websocket.connect"})
        await self._app(scope, self._to_server.get, self._take)

    async def _take(self, message: Message) -> None:
        await self.reading.wait()
        if message["type"] == "websocket.accept":
            self.status = 101
        elif message["type"] == "websocket.http.response.start":
            self.status = message["status"]
        await self._from_server.put(message)

    def put(self, raw: str | bytes) -> None:
        kind = "text" if isinstance(raw, str) else "bytes"
        self._to_server.put_nowait({"type": "websocket.receive", kind: raw})

    def say(self, **fields: Any) -> None:
        self.put(json.dumps(fields))

    def leave(self) -> None:
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": 1006})

    async def hear(self) -> Any:
        """The next message: a dict for text, bytes for binary, None for the end."""
        async with asyncio.timeout(LONGEST_S):
            message = await self._from_server.get()
        if message["type"] == "websocket.close":
            self.close_code = message.get("code", 1000)
            return None
        if message["type"] != "websocket.send":
            return message
        data = message.get("bytes")
        return data if data is not None else json.loads(message["text"])

    async def until(self, *kinds: str) -> list[Any]:
        """What comes up to the first control message of one of these types."""
        heard: list[Any] = []
        while not heard or not (isinstance(heard[-1], dict) and heard[-1].get("type") in kinds):
            heard.append(await self.hear())
            assert heard[-1] is not None, heard
        return heard

    async def rest(self) -> list[Any]:
        """What comes up to the end of the session."""
        heard = []
        while (message := await self.hear()) is not None:
            heard.append(message)
        return heard


@asynccontextmanager
async def connected(
    app: ASGIApp, *, hello: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> AsyncIterator[FakeSocket]:
    """An open session, in version 1 with the fields of ``hello``, else in version 0."""
    socket = FakeSocket(app, headers)
    task = asyncio.create_task(socket.run())
    await socket.hear()
    if hello is not None:
        socket.say(type="hello", version=1, **hello)
        ready = await socket.hear()
        assert ready["type"] == "ready", ready
    try:
        yield socket
    finally:
        socket.reading.set()
        socket.leave()
        async with asyncio.timeout(LONGEST_S):
            await task


def server(engine: Any, limits: Any = None, **more: Any) -> Any:
    """A ready ``SpeechServer``; ``.asgi`` is the application."""
    from server.speech.app import SpeechServer
    from server.speech.service import SpeechService

    service = SpeechService(engine, limits)
    service.be_ready()
    return SpeechServer(service, **more)
