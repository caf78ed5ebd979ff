"""Thousands of wrong messages, and every cut of a right session, hurt neither it nor the others."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from server.speech.app import SESSION_PATH
from server.speech.limits import ServerLimits
from server.speech.listen import SpeechUvicorn
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.socket import connected, server

SESSION = [
    {"type": "hello", "version": 1, "credit_ms": 900},
    {"type": "speak", "id": "u1", "text": "Grüße. ☕"},
    {"type": "credit", "ms": 500},
    {"type": "ping", "nonce": "é"},
    {"type": "cancel", "id": "u1"},
    {"text": "Hi.", "request_id": "r"},
]
_ATOMS: list[Any] = [None, True, 0, -1, 1e308, 2**70, "", "all", "u1", "é" * 50, [], {}, [[1]], "1"]


def fuzzed(chance: random.Random) -> str | bytes:
    """A good message, damaged."""
    message: dict[str, Any] = dict(chance.choice(SESSION))
    for _ in range(chance.randrange(3)):
        message[chance.choice([*message, "voice", "speed", "type", "x"])] = chance.choice(_ATOMS)
    raw = bytearray(json.dumps(message, ensure_ascii=chance.random() < 0.5).encode())
    for _ in range(chance.choice([0, 0, 1, 3])):
        at = chance.randrange(len(raw))
        raw[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        raw = raw or bytearray(b" ")
    try:
        return raw.decode() if chance.random() < 0.5 else bytes(raw)
    except UnicodeDecodeError:
        return bytes(raw)


@pytest.mark.parametrize("hello", [None, {}])
@pytest.mark.parametrize("seed", [1, 2])
async def test_fuzzed_messages(seed: int, hello: dict[str, Any] | None) -> None:
    chance = random.Random(seed)
    engine = FakeEngine()
    app = server(engine, ServerLimits(units_queued=8)).asgi
    async with connected(app, hello={}) as neighbour, connected(app, hello=hello) as socket:
        for number in range(1_000):
            raw = fuzzed(chance)
            if b"close" in (raw.encode() if isinstance(raw, str) else raw):
                continue
            socket.put(raw)
            if number % 100 == 0:
                neighbour.say(type="speak", id="n", text="Fine.")
                await neighbour.until("done")
        socket.say(type="cancel", id="all")
        socket.say(type="credit", ms=3_600_000)
        socket.say(type="ping", nonce="last")
        socket.say(text="the last words", request_id="last")
        while (message := await socket.hear()) is not None:
            last = isinstance(message, dict) and "last" in (
                message.get("nonce"),
                message.get("request_id"),
            )
            if last:
                break
        assert message is not None
        neighbour.say(type="speak", id="n", text="Fine.")
        await neighbour.until("done")
    assert (engine.running, engine.sessions) == (0, 0)


async def test_every_cut_of_a_session_on_the_wire() -> None:
    """The bytes of a whole session, handshake included, in two reads cut at every place."""
    engine = FakeEngine()
    config = SpeechUvicorn(server(engine).asgi).config
    config.load()
    raw = session_bytes()
    for cut in range(len(raw)):
        assert b'"closed"' in await answer_to(config, [raw[:cut], raw[cut:]]), cut
    assert b'"closed"' in await answer_to(config, [raw[at : at + 1] for at in range(len(raw))])
    assert (engine.running, engine.sessions) == (0, 0)
    assert engine.spoken == ["Grüße. ☕"] * (len(raw) + 1)


def session_bytes() -> bytes:
    request = (
        f"GET {SESSION_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    messages = (SESSION[0], SESSION[1], SESSION[3], {"type": "close"})
    texts = (json.dumps(message, ensure_ascii=False).encode() for message in messages)
    frames = (Frame(Opcode.TEXT, text).serialize(mask=True) for text in texts)
    return request.encode() + b"".join(frames)


async def answer_to(config: Any, pieces: list[bytes]) -> bytes:
    """What the server writes to a connection on which the pieces come."""
    transport = FakeTransport()
    protocol = config.ws_protocol_class(config=config, server_state=ServerState(), app_state={})
    protocol.connection_made(transport)
    for piece in pieces:
        if piece:
            protocol.data_received(piece)
    async with asyncio.timeout(5):
        await transport.said.wait()
    protocol.connection_lost(None)
    await asyncio.gather(*protocol.tasks)
    return bytes(transport.written)


class FakeTransport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.said = asyncio.Event()
        self._closing = False

    def write(self, data: Any) -> None:
        self.written += data
        if b'"closed"' in data:
            self.said.set()

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    abort = close

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...
