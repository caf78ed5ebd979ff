"""Over a real socket: every frame form is taken, none ends a session, a sleeper costs nothing."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.frames import Opcode

from server.speech.app import SESSION_PATH
from server.speech.auth import Tokens
from speech.wire import MAX_MESSAGE_BYTES
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.running import running, send_raw, talking, until
from tests.speech_server.socket import server

SPEAK = '{"type":"speak","id":"u1","text":"Grüße ☕ 😀."}'


async def test_whole_fragmented_text_and_binary_frames_are_one_message() -> None:
    engine = FakeEngine()
    data = SPEAK.encode()
    async with running(server(engine)) as address, talking(address) as client:
        for opcode in (Opcode.TEXT, Opcode.BINARY):
            send_raw(client, (opcode, data, True))
            await until(client, "done")
            pieces = [data[at : at + 1] for at in range(len(data))]  # characters are cut too
            send_raw(
                client,
                (opcode, pieces[0], False),
                *((Opcode.CONT, piece, False) for piece in pieces[1:]),
                (Opcode.CONT, b"", True),
            )
            await until(client, "done")
    assert engine.spoken == ["Grüße ☕ 😀."] * 4


async def test_what_a_library_would_close_for_is_answered() -> None:
    async with running(server(FakeEngine())) as address, talking(address) as client:
        send_raw(client, (Opcode.TEXT, b"\xff\xfe", True))
        assert (await until(client, "error"))["code"] == "bad_encoding"
        send_raw(client, (Opcode.TEXT, b" " * (MAX_MESSAGE_BYTES + 1), True))
        assert (await until(client, "error"))["code"] == "oversize"
        send_raw(client, (Opcode.BINARY, b"\x00" * 6_000_000, True))
        assert (await until(client, "error"))["code"] == "oversize"
        piece = "é".encode() * 40_000
        send_raw(
            client,
            (Opcode.TEXT, piece, False),
            (Opcode.CONT, piece, False),
            (Opcode.PING, b"p" * 125, True),
            (Opcode.CONT, piece, True),
        )
        assert (await until(client, "error"))["code"] == "oversize"
        await client.send(SPEAK)
        assert (await until(client, "done"))["id"] == "u1"


async def test_a_refused_websocket_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Anybody could fill it."""
    async with running(server(FakeEngine(), tokens=Tokens(["a-token-of-tomorrow"]))) as address:
        for path in (SESSION_PATH, "/ping"):
            with pytest.raises(InvalidStatus):
                await connect(f"ws://{address}{path}")
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://{address}/ping")).status_code == 200
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def opened(address: str, version: int) -> AbstractAsyncContextManager[ClientConnection]:
    if version:
        return talking(address, max_queue=1)
    return connect(f"ws://{address}{SESSION_PATH}", max_queue=1)


@pytest.mark.parametrize("version", [0, 1])
async def test_a_reader_asleep_with_a_hundred_units_holds_no_one(version: int) -> None:
    engine = FakeEngine()
    fields = {"text": "word " * 100} | ({"type": "speak"} if version else {})
    async with running(server(engine)) as address, opened(address, version) as asleep:
        for number in range(100):
            await asleep.send(json.dumps(fields | {"id": f"u{number}"}))
        # what the kernel's and the library's buffers take, and not a hundred units
        assert await engine.rest(3_000) < 3_000
        async with talking(address) as other:
            for _ in range(5):
                await other.send(SPEAK)
                await until(other, "done")
        if version:
            await asleep.send('{"type":"cancel","id":"all"}')
            await until(asleep, "cancelled")
            assert engine.running <= 1
        asleep.transport.abort()


async def test_connects_and_disconnects_in_mid_unit_leave_nothing() -> None:
    engine = FakeEngine()
    app = server(engine)
    text = " ".join(["word"] * 50)
    async with running(app) as address:

        async def come_and_go() -> None:
            async with talking(address) as client:
                await client.send(json.dumps({"type": "speak", "id": "u1", "text": text}))
                await until(client, "started")
                client.transport.abort()

        await come_and_go()
        files, tasks = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())
        for _ in range(10):
            await asyncio.gather(*(come_and_go() for _ in range(5)))
        async with asyncio.timeout(5):
            # the server's tasks are not ours to wait for
            while engine.sessions or len(asyncio.all_tasks()) > tasks:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) <= files
    assert (engine.running, engine.sessions) == (0, 0)


async def test_a_slow_reader_gets_all_to_the_last_message() -> None:
    async with running(server(FakeEngine())) as address:
        host, port = address.split(":")
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            sock.connect((host, int(port)))
            sock.setblocking(False)
            async with talking(address, sock=sock, max_queue=1) as client:
                text = " ".join(["word"] * 150)
                await client.send(json.dumps({"type": "speak", "id": "u1", "text": text}))
                await client.send('{"type":"close"}')
                await asyncio.sleep(0.2)  # time in which the server has long filled its buffers
                heard = [data async for data in client]
    assert sum(len(data) - 16 for data in heard if isinstance(data, bytes)) == 150 * 4800
    assert json.loads(heard[-1])["type"] == "closed"


async def test_a_stream_arrives_while_it_is_made() -> None:
    engine = FakeEngine()
    async with running(server(engine)) as address, httpx.AsyncClient() as http:
        url = f"http://{address}/invocations"
        async with http.stream("POST", url, json={"text": "One two three."}) as answer:
            body = b"".join([piece async for piece in answer.aiter_raw()])
    assert len(body) == 44 + 3 * 4800
