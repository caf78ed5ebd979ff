"""A real loopback HTTP server that streams what a test scripts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True)
class Pause:
    """Send nothing for so long."""

    seconds: float


class Break:
    """Drop the connection in mid-stream."""


Event = dict[str, Any] | Pause | Break | str | None
"""A text is sent as it is, a line of the stream; the rest of JSON as data."""


@dataclass(frozen=True)
class FakeReply:
    """One scripted response; ``events`` stream as server-sent events where status is 200."""

    events: Sequence[Event] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: dict[str, Any] = field(default_factory=dict)
    before_headers_s: float = 0.0
    done: bool = True
    body: str | None = None
    """Sent whole in place of the events."""
    kind: str = "application/json"
    """The content type of ``body``."""


def text(content: str | None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "delta": {"content": content, **delta}, "finish_reason": finish}]
    }


def call(name: str | None, arguments: str, index: int = 0, call_id: str | None = "c1") -> Event:
    piece = {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]}


def finish(reason: str = "stop") -> Event:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def says(*pieces: str) -> FakeReply:
    return FakeReply([*(text(piece) for piece in pieces), finish()])


EMPTY = FakeReply([text("", role="assistant"), finish()])
SILENT = FakeReply([Pause(30)])


class FakeOpenAiServer:
    """Answers each request with the next of ``replies``; the last one repeats."""

    def __init__(self, *replies: FakeReply, models: Any = ("fake",)) -> None:
        self.replies = list(replies)
        self.models = models
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.headers: list[dict[str, str]] = []
        self.streaming = asyncio.Event()
        self.disconnected = asyncio.Event()
        self.base_url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/v1/models", self._list)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _list(self, request: web.Request) -> web.Response:
        self.headers.append(dict(request.headers))
        if isinstance(self.models, int):
            return web.json_response({"error": {"message": "no"}}, status=self.models)
        if isinstance(self.models, str):
            return web.Response(text=self.models, content_type="text/html")
        return web.json_response({"object": "list", "data": [{"id": m} for m in self.models]})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(await request.json())
        self.times.append(asyncio.get_running_loop().time())
        self.headers.append(dict(request.headers))
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        try:
            return await self._respond(request, reply)
        except (asyncio.CancelledError, ConnectionError):
            self.disconnected.set()
            raise

    async def _respond(self, request: web.Request, reply: FakeReply) -> web.StreamResponse:
        await asyncio.sleep(reply.before_headers_s)
        if reply.status != 200:
            return web.json_response(
                {"error": {"message": "raw provider text", **reply.error}},
                status=reply.status,
                headers=reply.headers,
            )
        if reply.body is not None:
            return web.Response(text=reply.body, content_type=reply.kind)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in reply.events:
            if isinstance(event, Pause):
                self.streaming.set()
                await asyncio.sleep(event.seconds)
            elif isinstance(event, Break):
                assert request.transport is not None
                request.transport.abort()
                return response
            elif isinstance(event, str):
                await response.write(event.encode() + b"\n\n")
            else:
                await response.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        if reply.done:
            await response.write(b"data: [DONE]\n\n")
        return response
