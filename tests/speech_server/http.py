"""Requests to the speech server without a network."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from starlette.types import ASGIApp, Message


async def post(app: ASGIApp, path: str, body: Any, **headers: str) -> httpx.Response:
    """The whole answer; ``body`` is JSON, or bytes as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with client(app) as http:
        return await http.post(path, content=content, headers=headers)


async def get(app: ASGIApp, path: str, **headers: str) -> httpx.Response:
    async with client(app) as http:
        return await http.get(path, headers=headers)


def client(app: ASGIApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080")


class FakeRequest:
    """One POST whose answer is read part by part; ``reading`` cleared takes nothing."""

    def __init__(self, app: ASGIApp, path: str, body: Any) -> None:
        self._app, self._path, self._body = app, path, json.dumps(body).encode()
        self._to_server: asyncio.Queue[Message] = asyncio.Queue()
        self.parts: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()

    def start(self) -> asyncio.Task[None]:
        self._to_server.put_nowait({"type": "http.request", "body": self._body})
        scope = {
            "type": "http",
            "method": "POST",
            "path": self._path,
            "raw_path": self._path.encode(),
            "query_string": b"",
            "headers": [],
            "asgi": {"version": "3.0", "spec_version": "2.4"},
        }
        return asyncio.create_task(self._app(scope, self._to_server.get, self._take))  # type: ignore[arg-type]

    async def _take(self, message: Message) -> None:
        await self.reading.wait()
        await self.parts.put(message)

    def leave(self) -> None:
        self._to_server.put_nowait({"type": "http.disconnect"})
