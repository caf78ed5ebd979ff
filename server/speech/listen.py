"""uvicorn, as the speech server needs it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from asyncio import BaseTransport
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024
"""Up to here a message that is too long is answered; beyond, the connection is closed (1009),
for it would have to be kept to be told from the next one."""

PING_S, PONG_S = 30.0, 120.0
"""A peer whose network is gone is noticed after so long; one that sleeps a minute is not cut."""

SEND_BUFFER_BYTES = 64 * 1024
"""1.3 s of audio. Left alone, Linux keeps megabytes for a reader that sleeps: minutes of speech
that a cancel cannot take back."""

_ABORT = "earshot.abort"


class _Socket(WebSocketsSansIOProtocol):
    """uvicorn's, with the means to drop the connection, and to answer text that is no UTF-8.

    uvicorn closes at such text; here it comes as bytes, and the application says what is wrong.
    """

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):  # set where the handshake is good; its task has yet to run
            extensions: dict[str, Any] = self.scope.setdefault("extensions", {})
            extensions[_ABORT] = self.transport.abort

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.curr_msg_data_type = "bytes"
        super().send_receive_event_to_app()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def abort(socket: WebSocket, after_s: float = 0.0) -> None:
    """Drop the connection, with what has not arrived by then.

    Does nothing where the socket is not served by ``SpeechUvicorn``, or is closed by then.
    """
    drop = socket.scope.get("extensions", {}).get(_ABORT)
    if drop is not None:
        asyncio.get_running_loop().call_later(after_s, drop)


class SpeechUvicorn(uvicorn.Server):
    """Serves the application on a bound socket; signals are whoever's runs it.

    ``serve(sockets=[…])`` returns once ``should_exit`` is set and connections have had
    ``close_s`` to end. Raises ``OSError`` or ``ssl.SSLError`` for bad TLS files.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        certificate: Path | None = None,
        key: Path | None = None,
        close_s: int = 1,
    ) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            http="h11",  # refuses headers beyond 64 KiB; httptools keeps what a stranger sends
            ws=_Socket,
            ws_max_size=LARGEST_MESSAGE_BYTES,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PONG_S,
            ws_per_message_deflate=False,  # audio does not get smaller, and costs time
            timeout_graceful_shutdown=close_s,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        super().__init__(config)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
