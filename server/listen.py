"""What every server of ours needs of uvicorn: no signal handlers, and a way to drop a socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.websockets import WebSocket
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

_ABORT = "earshot.abort"


class QuietUvicorn(uvicorn.Server):
    """uvicorn without its signal handlers: signals are the command's (``bot.web.stopping``)."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class AbortableSocket(WebSocketsSansIOProtocol):
    """uvicorn's, with the means to drop the connection in the scope (``abort``)."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # set where the handshake is good; its task has yet to run
            extensions: dict[str, Any] = self.scope.setdefault("extensions", {})
            extensions[_ABORT] = self.transport.abort

    async def send(self, message: ASGISendEvent) -> None:
        """As uvicorn's, which takes a refusal for no answer and logs an error for each."""
        await super().send(message)
        self.handshake_complete = self.handshake_complete or self.close_sent


def abort(socket: WebSocket, after_s: float = 0.0) -> None:
    """Drop the connection, with what has not arrived by then; no answer to a close is waited for.

    Does nothing where the socket is not served as an ``AbortableSocket``, or is closed by then.
    """
    drop = socket.scope.get("extensions", {}).get(_ABORT)
    if drop is None:
        return
    if after_s:
        asyncio.get_running_loop().call_later(after_s, drop)
    else:
        drop()
