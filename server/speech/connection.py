"""A stranger's HTTP connection: how long it may take to ask, and how many there may be.

What uvicorn has is not enough: its ``limit_concurrency`` lets WebSockets in and leaves those open
that never ask, and its keep-alive timer stops at the first byte of a request.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.speech.auth import OPEN_PATHS
from server.speech.limits import ServerLimits
from server.speech.metrics import Metrics

SPARE_CONNECTIONS = 16
"""Beyond the bound so many more are told so (503), and a health check is still answered; those
beyond that are dropped as they come."""

_RETRY_AFTER = "1"
_TOO_MANY, _TOO_SLOW = "too_many_connections", "request_incomplete"


class BoundedConfig(Config):
    """uvicorn's, which takes its connections' protocol along to the server's limits."""

    def __init__(
        self, app: ASGIApp, limits: ServerLimits, metrics: Metrics | None, **more: Any
    ) -> None:
        super().__init__(app, http=BoundedHttp, **more)
        self.limits, self.metrics = limits, metrics

    def count(self, why: str) -> None:
        """A connection was refused."""
        if self.metrics:
            self.metrics.refused.labels(why).inc()


class BoundedHttp(H11Protocol):
    """uvicorn's, with three bounds; h11 has its own, for headers (64 KiB).

    A request is whole, body included, within ``arrival_s`` of its first byte (the connection's
    first also of the connection), else 408; an answer that nobody reads for ``idle_s`` is dropped;
    of more than ``connections`` at a time each that is new is told 503.
    """

    config: BoundedConfig
    crowded = False
    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        over = len(self.connections) - self.config.limits.connections
        self.crowded = over > 0
        if over > SPARE_CONNECTIONS:
            self.config.count(_TOO_MANY)
            transport.abort()
        elif self.crowded:
            self.app = self._refuse
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(self.config.limits.idle_s, self.transport.abort)

    def resume_writing(self) -> None:
        if self._stalled:
            self._stalled.cancel()
        super().resume_writing()

    def _should_upgrade(self) -> bool:
        return not self.crowded and super()._should_upgrade()

    def _begin(self) -> None:
        self._late = self._late or self.loop.call_later(self.config.limits.arrival_s, self._give_up)

    def _end(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = None

    def _follow(self) -> None:
        """Time runs while a part of a request is here; from its first byte, not from its last."""
        if self._incomplete:
            self._begin()
        else:
            self._end()

    @property
    def _incomplete(self) -> bool:
        if self.transport.get_protocol() is not self:  # it has become a WebSocket
            return False
        if self.conn.their_state is h11.IDLE:
            return bool(self.conn.trailing_data[0])
        return self.conn.their_state is h11.SEND_BODY

    def _give_up(self) -> None:
        """Nothing was asked: close. Something was begun to be asked: 408, unless answered."""
        self._late = None
        if self._incomplete and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._answer_late()
        if self.cycle:  # the application is not to answer after this
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.config.count(_TOO_SLOW)
        self.transport.close()

    def _answer_late(self) -> None:
        body = json.dumps({"error": _TOO_SLOW}).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        start = h11.Response(status_code=408, headers=headers, reason=b"Request Timeout")
        for event in (start, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in OPEN_PATHS:
            await self.config.loaded_app(scope, receive, send)
            return
        self.config.count(_TOO_MANY)
        headers = {"Retry-After": _RETRY_AFTER, "Connection": "close"}
        answer = JSONResponse({"error": _TOO_MANY}, 503, headers)
        await answer(scope, receive, send)
