"""A container like the reference's: it synthesises a message whole, and then sends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.aws.bidirectional import PATH
from tests.aws.fake_voice import PIECE_S, pieces
from tests.aws.waiting import until

VOICES = ("af_heart", "am_adam")
PACE = 10.0


class FakeContainer:
    """``made_s`` counts the seconds computed, at ten times real time.

    FAIL in a text fails it, and ``failing`` fails all.
    """

    def __init__(self) -> None:
        self.failing = False
        self.made_s = 0.0
        self.bodies: list[dict[str, Any]] = []
        self.asgi = Starlette(
            routes=[
                Route("/invocations", self._invoke, methods=["POST"]),
                WebSocketRoute(PATH, self._converse),
            ]
        )

    async def _invoke(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.bodies.append(body)
        if body.get("voice") not in VOICES:
            return JSONResponse({"error": f"voice must be one of {list(VOICES)}"}, 400)
        if self.failing or "FAIL" in body["text"]:
            return JSONResponse({"error": "out of memory"}, 500)
        return StreamingResponse(self._wav(body), media_type="audio/wav")

    async def _wav(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        rate = body.get("sample_rate", 24_000)
        yield _wav_head(rate)
        async for piece in self._sound(body["text"], rate, body.get("speed", 1.0)):
            yield piece

    async def _sound(self, text: str, rate_hz: int, speed: float) -> AsyncIterator[bytes]:
        for piece in pieces(text, rate_hz, speed):
            self.made_s += PIECE_S
            await asyncio.sleep(PIECE_S / PACE)
            yield piece

    async def _converse(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            while await self._answer(socket, await socket.receive()):
                pass
        except WebSocketDisconnect:
            return
        await socket.close()

    async def _answer(self, socket: WebSocket, message: dict[str, Any]) -> bool:
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        said = json.loads(message.get("text") or message["bytes"].decode())
        self.bodies.append(said)
        if said.get("type") == "close":
            return False
        request_id = said.get("request_id", "unknown")
        if not said.get("text") or self.failing or "FAIL" in said["text"]:
            error = "text required" if not said.get("text") else "out of memory"
            await _say(socket, "error", request_id, message=error)
            return True
        await _say(socket, "synthesis_start", request_id)
        text, speed = said["text"], said.get("speed", 1.0)
        rate = said.get("sample_rate", 24_000)
        sound = b"".join([piece async for piece in self._sound(text, rate, speed)])
        await socket.send_bytes(sound)
        seconds = round(len(sound) / 2 / rate, 3)
        await _say(
            socket, "synthesis_complete", request_id, total_duration_s=seconds, elapsed_s=0.1
        )
        return True


async def _say(socket: WebSocket, kind: str, request_id: Any, **fields: Any) -> None:
    await socket.send_text(json.dumps({"type": kind, "request_id": request_id, **fields}))


def _wav_head(rate_hz: int) -> bytes:
    """44 bytes, sizes unknown."""
    numbers = rate_hz.to_bytes(4, "little") + (2 * rate_hz).to_bytes(4, "little")
    data = b"data" + b"\xff" * 4
    return (
        b"RIFF" + b"\xff" * 4 + b"WAVEfmt " + bytes([16, 0, 0, 0, 1, 0, 1, 0])
        + numbers + bytes([2, 0, 16, 0]) + data
    )  # fmt: skip


@asynccontextmanager
async def served(app: Callable[..., Any]) -> AsyncIterator[str]:
    """The address of an application that is served on loopback, without its scheme."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_config=None, lifespan="off", ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    listening = config.bind_socket()
    serving = asyncio.create_task(server.serve([listening]))
    await until(lambda: server.started)
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        await serving
