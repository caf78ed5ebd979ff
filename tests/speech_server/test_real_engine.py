"""With Kokoro itself: what the server sends is what the engine says, while it says it."""

from __future__ import annotations

import asyncio
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


async def test_a_request_is_said(app: Any) -> None:
    body = {"text": "Good evening.", "stream": False, "sample_rate": 16000}
    answer = await post(app, "/invocations", body)
    samples = np.frombuffer(answer.content[44:], "<i2")
    assert 0.5 < len(samples) / 16_000 < 2
    assert np.abs(samples).max() > 3_000


async def test_a_unit_comes_in_pieces_with_its_words(app: Any) -> None:
    async with connected(app, hello={}) as socket:
        socket.say(type="speak", id="u1", text=TEXT)
        started = (await socket.until("started"))[-1]
        heard = await socket.until("done")
    joiner = FrameJoiner(started["unit"])
    frames = [unpack(data) for data in heard if isinstance(data, bytes)]
    samples = np.concatenate([joiner.take(frame) for frame in frames])
    assert heard[-1]["samples"] == len(samples)
    assert len(frames) > 1
    assert len(frames[0].samples) < len(samples) / 2
    assert 2 < len(samples) / 24_000 < 6
    told = [message for message in heard if isinstance(message, dict)]
    words = [word for message in told for word in message.get("words", [])]
    assert len(words) == len(TEXT.split())
    assert words[-1]["text"].startswith("early")
    assert words[-1]["end"] <= len(samples)


async def test_a_cancel_stops_kokoro(app: Any) -> None:
    async with connected(app, hello={}) as socket:
        socket.say(type="speak", id="u1", text=TEXT * 5)
        while not isinstance(await socket.hear(), bytes):
            pass
        socket.say(type="cancel", id="u1")
        heard = await socket.until("cancelled")
        assert sum(len(data) for data in heard if isinstance(data, bytes)) < 2 * 24_000 * 10
        socket.say(type="speak", id="u2", text="Yes.")
        async with asyncio.timeout(10):
            assert (await socket.until("done"))[-1]["id"] == "u2"
