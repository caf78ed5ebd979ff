"""The log tells what went on, and never what was said, asked for or shown to get in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from loguru import logger

from server.speech.auth import Tokens
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.http import post
from tests.speech_server.socket import connected, server

SECRET = "Mellon"
TOKEN = f"{SECRET}-to-be-let-in"


@pytest.fixture
def lines() -> Iterator[list[str]]:
    written: list[str] = []
    handler = logger.add(written.append, level=0, format="{message} {extra} {exception}")
    yield written
    logger.remove(handler)


@pytest.mark.parametrize("end", ["", "FAIL", "BUSY"])
async def test_a_request(lines: list[str], end: str) -> None:
    app = server(FakeEngine(), tokens=Tokens([TOKEN])).asgi
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    text = f"{SECRET} {end}"
    for path, body in (
        ("/invocations", {"text": text, "stream": False}),
        ("/invocations", {"text": text, "transport": "sse", "request_id": SECRET}),
        ("/invocations", {"text": text, "voice": SECRET}),
        ("/v1/audio/speech", {"input": text, "stream_format": "sse"}),
        ("/v1/audio/speech", f'{{"input": "{SECRET}'.encode()),
    ):
        await post(app, path, body, **bearer)
        await post(app, path, body, Authorization=f"Bearer {TOKEN}x")
    told = "".join(lines)
    assert "route=invocations" in told
    assert "status=" in told
    assert SECRET not in told


@pytest.mark.parametrize("hello", [None, {}])
async def test_a_session(lines: list[str], hello: dict[str, str] | None) -> None:
    async with connected(server(FakeEngine()).asgi, hello=hello) as socket:
        for end in ("", "FAIL", "BUSY"):
            text = f"{SECRET} {end}"
            socket.say(type="speak", id=SECRET + end, text=text, request_id=SECRET)
            socket.say(text=text, request_id=SECRET)
            socket.say(type="speak", id="v", text=text, voice=SECRET)
            socket.put(text)
        socket.say(type="close")
        await socket.rest()
    told = "".join(lines)
    assert "A session ended: reason=client_closed" in told
    assert SECRET not in told
