"""A client of the reference works unchanged on the WebSocket, but for the reference's faults."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from server.speech.limits import ServerLimits
from tests.speech_server.fake_engine import WORD_SAMPLES, FakeEngine
from tests.speech_server.socket import connected, server

VOICE = "voice must be one of ['af_heart', 'am_adam']"
RATE = "sample_rate must be one of [8000, 16000, 22050, 24000]"


async def test_messages_are_said_in_order_and_close_ends_the_session() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi) as socket:
        socket.say(text="One two.", request_id="r1", voice="am_adam", speed=1.5)
        socket.put(b'{"text":"Three.","request_timestamp":1}')
        socket.say(type="close")
        heard = await socket.rest()
    audio = b"".join(data for data in heard if isinstance(data, bytes))
    assert np.frombuffer(audio, "<i2").tolist() == [1] * 2400 + [2] * 2400 + [1] * 2400
    control = [message for message in heard if isinstance(message, dict)]
    assert [(message["type"], message["request_id"]) for message in control] == [
        ("synthesis_start", "r1"),
        ("synthesis_complete", "r1"),
        ("synthesis_start", "unknown"),
        ("synthesis_complete", "unknown"),
    ]
    assert control[1]["total_duration_s"] == 0.2
    assert control[1]["elapsed_s"] == round(control[1]["elapsed_s"], 3)
    assert engine.opened == [("am_adam", 1.5), ("af_heart", 1.0)]
    assert socket.close_code == 1000


async def test_audio_comes_while_it_is_made() -> None:
    """Fault 2: the whole message was synthesised before its first byte."""
    engine = FakeEngine()
    async with connected(server(engine).asgi) as socket:
        socket.say(text="One two three.")
        assert (await socket.hear())["type"] == "synthesis_start"
        engine.gate.clear()
        assert len(await socket.hear()) == 2 * WORD_SAMPLES
        assert engine.made < 3
        engine.gate.set()
        await socket.until("synthesis_complete")


@pytest.mark.parametrize(
    ("message", "request_id", "told"),
    [
        (b"{", "unknown", "not JSON"),
        (b"[]", "unknown", "no object"),
        (b'{"request_id":"r1"}', "r1", "text required"),
        (b'{"text":"","request_id":"r1"}', "r1", "text required"),
        (b'{"text":"x","voice":"zz","request_id":"r1"}', "r1", VOICE),
        (b'{"text":"x","sample_rate":44100,"request_id":"r1"}', "r1", RATE),
        (b'{"text":"x","sample_rate":0,"request_id":"r1"}', "r1", RATE),
        (b'{"text":"x","speed":7,"request_id":"r1"}', "r1", "speed"),
        (b'{"text":"FAIL","request_id":"r1"}', "r1", "could not be spoken"),
        (b'{"text":"BUSY","request_id":"r1"}', "r1", "queue_saturated"),
        (b'{"type":"cancel","id":"u1"}', "unknown", "hello"),
    ],
)
async def test_one_bad_message_does_not_end_the_session(
    message: bytes, request_id: str, told: str
) -> None:
    """Fault 8."""
    async with connected(server(FakeEngine()).asgi) as socket:
        socket.put(message)
        error = (await socket.until("error"))[-1]
        assert error.keys() == {"type", "request_id", "message"}
        assert error["request_id"] == request_id
        assert told in error["message"]
        socket.say(text="Fine.")
        await socket.until("synthesis_complete")


async def test_hello_turns_the_session_once_nothing_is_to_be_said() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi) as socket:
        socket.say(type="hello", version=7)
        error = await socket.hear()
        assert (error["type"], error["code"]) == ("error", "wrong_version")
        engine.gate.clear()
        socket.say(text="Old.")
        assert (await socket.hear())["type"] == "synthesis_start"
        socket.say(type="hello", version=1)
        assert (await socket.hear())["code"] == "wrong_order"
        engine.gate.set()
        await socket.until("synthesis_complete")
        socket.say(type="hello", version=1)
        assert (await socket.hear())["type"] == "ready"
        socket.say(type="speak", id="u1", text="New.")
        await socket.until("done")


@pytest.mark.parametrize("hello", [None, {}])
async def test_a_client_may_leave_at_any_time(hello: dict[str, Any] | None) -> None:
    engine = FakeEngine()
    app = server(engine, ServerLimits(sessions=1)).asgi
    for turns in range(12):
        async with connected(app, hello=hello) as socket:
            assert socket.status == 101
            socket.say(type="speak", id="u1", text="One two three four.")
            for _ in range(turns):
                await asyncio.sleep(0)
    assert (engine.running, engine.sessions) == (0, 0)
