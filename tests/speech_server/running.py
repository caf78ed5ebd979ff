"""The speech server on a loopback port, and raw WebSockets to it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import Frame, Opcode

from server.speech.app import SESSION_PATH
from server.speech.listen import SpeechUvicorn


@asynccontextmanager
async def running(app: Any) -> AsyncIterator[str]:
    """Yields ``host:port``."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        service = app.service
        server = SpeechUvicorn(app.asgi, service.limits, metrics=service.metrics)
        task = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            yield f"127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def talking(address: str, **more: Any) -> AsyncIterator[ClientConnection]:
    """A session in version 1."""
    async with connect(f"ws://{address}{SESSION_PATH}", **more) as client:
        await client.send(json.dumps({"type": "hello", "version": 1}))
        assert json.loads(await client.recv())["type"] == "ready"
        yield client


async def until(client: ClientConnection, kind: str) -> dict[str, Any]:
    """The next control message of this type."""
    async with asyncio.timeout(10):
        while True:
            data = await client.recv()
            if isinstance(data, str):
                message: dict[str, Any] = json.loads(data)
                if message["type"] == kind:
                    return message


def send_raw(client: ClientConnection, *frames: tuple[Opcode, bytes, bool]) -> None:
    """Frames as they are, past the library's checks of what makes a message."""
    for opcode, data, fin in frames:
        raw = Frame(opcode, data, fin).serialize(mask=True)
        client.transport.write(raw)
