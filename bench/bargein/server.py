"""A language model whose answers are fixed: an OpenAI-compatible server on loopback."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

MODEL = "fixed"
FIRST_TOKEN_S = 0.1
TOKENS_A_SECOND = 40
"""The pace of a hosted model; a 20 s reply is written in 2 s, as it is there."""
_TOKEN = re.compile(r"\s*\S+")


@dataclass(frozen=True)
class Asked:
    """A request, the answer it got, and when (``time.monotonic``)."""

    at: float
    text: str
    messages: list[dict[str, Any]]


@dataclass
class FixedModel:
    """Answers with the next of ``queue``, and with ``otherwise`` where that is empty."""

    otherwise: str
    base_url: str = ""
    queue: deque[str] = field(default_factory=deque)
    asked: list[Asked] = field(default_factory=list)
    closed_early: int = 0
    """Answers whose reader closed the stream before its end."""

    async def list_models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Stream an answer, word by word."""
        body = await request.json()
        text = self.queue.popleft() if self.queue else self.otherwise
        self.asked.append(Asked(time.monotonic(), text, body["messages"]))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        try:
            await self._stream(request, response, text)
        except (asyncio.CancelledError, ConnectionError):
            self.closed_early += 1
            raise
        return response

    async def _stream(self, request: web.Request, response: web.StreamResponse, text: str) -> None:
        await asyncio.sleep(FIRST_TOKEN_S)
        await response.prepare(request)
        for token in _TOKEN.findall(text):
            await response.write(_event({"content": token}))
            await asyncio.sleep(1 / TOKENS_A_SECOND)
        await response.write(_event({}, "stop") + b"data: [DONE]\n\n")
        await response.write_eof()


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "0", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


@asynccontextmanager
async def open_model(otherwise: str) -> AsyncIterator[FixedModel]:
    """The server, listening on a free port of loopback."""
    model = FixedModel(otherwise)
    app = web.Application()
    app.router.add_get("/v1/models", model.list_models)
    app.router.add_post("/v1/chat/completions", model.complete)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        model.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield model
    finally:
        await runner.cleanup()
