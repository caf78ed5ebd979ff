"""A stranger who does not ask, asks slowly or does not read costs little, and not for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from server.speech.app import SESSION_PATH
from server.speech.connection import SPARE_CONNECTIONS
from server.speech.limits import ServerLimits
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.running import running, talking
from tests.speech_server.socket import server

SOON = ServerLimits(arrival_s=0.1)
LATER = ServerLimits(arrival_s=0.5, first_message_s=0.5)
"""For who is in time, on a machine that is busy."""
HEAD = b"POST /invocations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12\r\n"
PING = b"GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


class Stranger:
    """A bare TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    async def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        lengths = [
            int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"t-length" in line
        ]
        return int(head.split()[1]), await self.reader.readexactly(lengths[0])

    async def rest(self) -> bytes:
        """What comes until the server hangs up."""
        async with asyncio.timeout(5):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""


@asynccontextmanager
async def stranger(address: str) -> AsyncIterator[Stranger]:
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield Stranger(reader, writer)
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (b"", b""),
        (b"GET /pi", b"408 Request Timeout"),
        (HEAD, b"408 Request Timeout"),
        (HEAD + b"\r\n", b"408 Request Timeout"),
        (HEAD + b"\r\n" + b'{"text":', b"408 Request Timeout"),
    ],
)
async def test_what_does_not_arrive_is_not_waited_for(said: bytes, answer: bytes) -> None:
    app = server(FakeEngine(), SOON)
    async with running(app) as address, stranger(address) as client:
        client.say(said)
        heard = await client.rest()
    assert heard.partition(b"\r\n")[0].removeprefix(b"HTTP/1.1 ") == answer
    assert not answer or heard.endswith(b'{"error": "request_incomplete"}')
    assert app.service.requests == 0
    assert b'earshot_refused_total{why="request_incomplete"} 1.0' in app.service.metrics.text()


@pytest.mark.parametrize("said", [HEAD, PING + HEAD, PING + HEAD + b"\r\n"])
async def test_a_byte_now_and_then_gains_no_time(said: bytes) -> None:
    async with running(server(FakeEngine(), SOON)) as address, stranger(address) as client:
        client.say(said)
        ended = asyncio.create_task(client.rest())
        while not ended.done():
            client.say(b"X")
            await asyncio.wait({ended}, timeout=0.02)
        ended.result()


async def test_nor_does_a_body_for_which_nobody_waits() -> None:
    async with running(server(FakeEngine(), SOON)) as address, stranger(address) as client:
        client.say(HEAD.replace(b"/invocations", b"/nowhere") + b"\r\n")
        assert (await client.answer())[0] == 404
        ended = asyncio.create_task(client.rest())
        while not ended.done():
            client.say(b"X")
            await asyncio.wait({ended}, timeout=0.04)
        assert ended.result() == b""


async def test_a_connection_in_use_may_grow_old() -> None:
    """Each request has its own time, which begins with it."""
    async with running(server(FakeEngine(), LATER)) as address, stranger(address) as client:
        for _ in range(4):
            client.say(PING[:9])
            await asyncio.sleep(LATER.arrival_s / 3)
            client.say(PING[9:])
            assert await client.answer() == (200, b"OK")
        body = b'{"text":"x"}'
        client.say(HEAD.replace(b"\r\nContent", b"\r\nConnection: close\r\nContent") + b"\r\n")
        client.say(body)
        assert (await client.rest()).startswith(b"HTTP/1.1 200")


async def test_speech_may_take_longer_than_its_request() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    async with running(server(engine, LATER)) as address, stranger(address) as client:
        client.say(HEAD + b"Connection: close\r\n\r\n" + b'{"text":"x"}')
        await engine.begun.wait()
        await asyncio.sleep(1.1 * LATER.arrival_s)
        engine.gate.set()
        assert (await client.rest()).startswith(b"HTTP/1.1 200")


async def test_a_session_that_never_says_anything_ends() -> None:
    app = server(FakeEngine(), LATER)
    async with running(app) as address, talking(address) as other:
        async with connect(f"ws://{address}{SESSION_PATH}") as silent:
            with pytest.raises(ConnectionClosed) as ended:
                async with asyncio.timeout(5):
                    await silent.recv()
        assert ended.value.rcvd is not None
        assert (ended.value.rcvd.code, ended.value.rcvd.reason) == (1001, "idle")
        await other.send('{"type":"ping"}')  # one that has spoken may be silent
        assert "pong" in str(await other.recv())


async def test_who_does_not_read_answers_is_dropped() -> None:
    limits = ServerLimits(idle_s=0.1)
    async with running(server(FakeEngine(), limits)) as address, stranger(address) as client:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        try:
            async with asyncio.timeout(5):
                while True:  # a request on the heels of the other, and no answer taken
                    client.say(PING.replace(b"/ping", b"/schema") * 100)
                    await client.writer.drain()
                    await asyncio.sleep(0)
        except ConnectionError:
            return


class TestFull:
    """Two may come in at a time, and are in."""

    @pytest.fixture(autouse=True)
    async def full(self) -> AsyncIterator[None]:
        app = server(FakeEngine(), ServerLimits(connections=2))
        async with (
            running(app) as self.address,
            talking(self.address),
            stranger(self.address) as self.guest,
        ):
            self.guest.say(PING)
            assert await self.guest.answer() == (200, b"OK")
            yield

    async def test_the_next_is_told_to_come_again(self) -> None:
        async with stranger(self.address) as client:
            client.say(PING.replace(b"/ping", b"/voices"))
            heard = await client.rest()
        assert heard.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 1" in heard.lower()
        assert heard.endswith(b'{"error":"too_many_connections"}')

    async def test_so_is_a_websocket(self) -> None:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"ws://{self.address}{SESSION_PATH}")
        assert refused.value.response.status_code == 503

    async def test_a_health_check_is_answered_nevertheless(self) -> None:
        async with stranger(self.address) as client:
            client.say(PING)
            assert await client.answer() == (200, b"OK")

    async def test_many_more_are_dropped_and_who_is_in_stays(self) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(SPARE_CONNECTIONS):
                await stack.enter_async_context(stranger(self.address))
            last = await stack.enter_async_context(stranger(self.address))
            assert await last.rest() == b""
            self.guest.say(PING)
            assert await self.guest.answer() == (200, b"OK")
