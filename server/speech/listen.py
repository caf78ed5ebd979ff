"""uvicorn, as the speech server needs it."""

from __future__ import annotations

import socket
from asyncio import BaseTransport
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from server.listen import AbortableSocket, QuietUvicorn
from server.speech.connection import BoundedConfig
from server.speech.limits import ServerLimits
from server.speech.metrics import Metrics
from server.speech.shorten import MOST_CONTROL_BYTES, Shortener

PING_S, PONG_S = 30.0, 120.0
"""A peer whose network is gone is noticed after so long; one that sleeps a minute is not cut."""

SEND_BUFFER_BYTES = 64 * 1024
"""1.3 s of audio. Left alone, Linux keeps megabytes for a reader that sleeps: minutes of speech
that a cancel cannot take back."""


class _Socket(AbortableSocket):
    """Keeps little for a reader that sleeps, and lets the application say what is wrong.

    uvicorn closes at text that is no UTF-8 and at messages that are too long; here the former
    comes as bytes, and of the latter as much as shows that they are.
    """

    config: BoundedConfig

    def __init__(self, config: BoundedConfig, *arguments: Any, **named: Any) -> None:
        super().__init__(config, *arguments, **named)
        self._shortener = Shortener(config.limits.message_bytes + 1)

    def data_received(self, data: bytes) -> None:
        shortened = self._shortener.feed(data)
        if shortened:
            super().data_received(shortened)

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)

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


class SpeechUvicorn(QuietUvicorn):
    """Serves the application on a bound socket; signals are whoever's runs it.

    Connections are held to ``limits`` (``connection.py``); ``metrics`` counts those refused.
    ``serve(sockets=[…])`` returns once ``should_exit`` is set and connections have had
    ``close_s`` to end. Raises ``OSError`` or ``ssl.SSLError`` for bad TLS files.
    """

    def __init__(
        self,
        app: ASGIApp,
        limits: ServerLimits | None = None,
        *,
        metrics: Metrics | None = None,
        certificate: Path | None = None,
        key: Path | None = None,
        close_s: int = 1,
    ) -> None:
        limits = limits or ServerLimits()
        config = BoundedConfig(
            app,
            limits,
            metrics,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            ws=_Socket,
            ws_max_size=limits.message_bytes + 1 + MOST_CONTROL_BYTES,
            ws_ping_interval=PING_S,
            ws_ping_timeout=PONG_S,
            ws_per_message_deflate=False,  # audio does not get smaller, and costs time
            timeout_graceful_shutdown=close_s,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        super().__init__(config)
