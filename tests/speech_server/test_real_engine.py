"""With Kokoro itself: what the server sends is what the engine says, while it says it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from bot.config.schema import Settings
from bot.speech_server import bound_engine
from bot.voice import build_voice
from speech.wire import FrameJoiner, unpack
from tests.speech_server.http import post
from tests.speech_server.socket import connected, server

pytestmark = pytest.mark.models

TEXT = "The harbour was quiet, nobody had expected the boats so early."


@pytest.fixture
async def app(loaded_once: None) -> AsyncIterator[Any]:
    settings = Settings()
    engine = build_voice(settings)
    bound_engine(engine, settings.serve)
    await engine.calibrate("af_heart")
    yield server(engine).asgi
    await engine.aclose()


async def test_http_and_websocket_say_the_same(app: Any) -> None:
    answer = await post(app, "/invocations", {"text": TEXT, "stream": False})
    whole = np.frombuffer(answer.content[44:], "<i2")
    assert 2 < len(whole) / 24_000 < 6
    async with connected(app, hello={}) as socket:
        begun = time.monotonic()
        socket.say(type="speak", id="u1", text=TEXT)
        started = (await socket.until("started"))[-1]
        heard = [await socket.hear()]
        first_s = time.monotonic() - begun
        heard += await socket.until("done")
        whole_s = time.monotonic() - begun
    assert first_s < whole_s / 2
    joiner = FrameJoiner(started["unit"])
    frames = [unpack(data) for data in heard if isinstance(data, bytes)]
    samples = np.concatenate([joiner.take(frame) for frame in frames])
    assert abs(len(samples) - len(whole)) < 2_400  # chunks end where the silence is found to be
    told = [message for message in heard if isinstance(message, dict)]
    words = [word["text"] for message in told for word in message.get("words", [])]
    assert words[-1].startswith("early")


async def test_a_cancel_stops_kokoro(app: Any) -> None:
    async with connected(app, hello={}) as socket:
        socket.say(type="speak", id="u1", text=TEXT * 5)
        while not isinstance(await socket.hear(), bytes):
            pass
        socket.say(type="cancel", id="u1")
        begun = time.monotonic()
        await socket.until("cancelled")
        assert time.monotonic() - begun < 1.0
        socket.say(type="speak", id="u2", text="Yes.")
        async with asyncio.timeout(10):
            assert (await socket.until("done"))[-1]["id"] == "u2"
