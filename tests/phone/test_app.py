"""Only the carrier's signed webhook opens a line, and only its one-time token a stream."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

import httpx
import pytest
from fastapi import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from bot.config.secrets import Secrets
from bot.phone.app import PhoneApp
from bot.phone.carriers import carrier
from bot.phone.handshake import StreamStart
from bot.web.listen import MAX_MESSAGE_BYTES, bind, serving, url_of
from bot.web.sessions import Sessions
from tests.phone.carrier import START, FakeTwilio, twilio_signature

TOKEN = "12345"


class FakeCall:
    """A conversation that lasts until the test lets it go."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    async def run(self) -> None:
        await self.over.wait()

    async def end(self, *, goodbye: bool = True) -> None:
        self.over.set()

    async def cancel(self) -> None:
        self.over.set()


class Line:
    """A phone app on a real socket whose conversations are fakes."""

    def __init__(self, base_url: str, sessions: Sessions) -> None:
        self.base_url = base_url
        self.sessions = sessions
        self.starts: list[StreamStart] = []
        self.messages: list[str] = []

    async def on_call(self, socket: WebSocket, start: StreamStart) -> None:
        self.starts.append(start)
        left = asyncio.Event()
        call = self.sessions.start(FakeCall(), left)
        while (message := await socket.receive())["type"] == "websocket.receive":
            self.messages.append(message.get("text", ""))
        left.set()
        await asyncio.wait({call})


@asynccontextmanager
async def line(
    provider: str = "twilio", secrets: dict[str, str] | None = None, max_calls: int = 1
) -> AsyncIterator[Line]:
    given = {"TWILIO_AUTH_TOKEN": TOKEN} if secrets is None else secrets
    with bind("127.0.0.1", 0, "phone") as sock:
        async with asyncio.TaskGroup() as group:
            sessions = Sessions(max_calls, group, lambda _: None)
            built = Line(url_of(sock), sessions)
            app = PhoneApp(
                carrier(provider, Secrets(given)), built.base_url, sessions, built.on_call
            )
            async with serving(app.asgi, sock):
                yield built
                await sessions.end_all()


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110  there is no event to wait for in the app
            await asyncio.sleep(0.01)


def twilio(phone: Line) -> FakeTwilio:
    return FakeTwilio(phone.base_url, TOKEN)


async def test_a_signed_webhook_opens_a_stream_that_starts() -> None:
    async with line() as phone:
        url = await twilio(phone).dial()
        assert url.startswith("ws" + phone.base_url.removeprefix("http") + "/stream/")
        async with connect(url) as socket:
            await socket.send(json.dumps(START))
            await eventually(lambda: len(phone.sessions) == 1)
            assert phone.starts == [StreamStart("MZ1", "CA1")]
        await eventually(lambda: len(phone.sessions) == 0)


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Twilio-Signature": ""}, {"X-Twilio-Signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8="}],
)
async def test_without_the_right_signature_it_is_403(headers: dict[str, str]) -> None:
    async with line() as phone, httpx.AsyncClient() as client:
        reply = await client.post(
            f"{phone.base_url}/call", data={"CallSid": "CA1"}, headers=headers
        )
        assert reply.status_code == 403
        assert "Stream" not in reply.text


async def test_a_signature_for_another_address_is_403() -> None:
    async with line() as phone, httpx.AsyncClient() as client:
        signature = twilio_signature(TOKEN, "https://other.example.com/call", {"CallSid": "CA1"})
        reply = await client.post(
            f"{phone.base_url}/call",
            data={"CallSid": "CA1"},
            headers={"X-Twilio-Signature": signature},
        )
        assert reply.status_code == 403


async def test_an_unsigned_webhook_is_for_this_machines_names_only() -> None:
    async with line(secrets={}) as phone, httpx.AsyncClient() as client:
        for host, status in (("evil.example.com", 400), ("localhost:7861", 200)):
            reply = await client.post(f"{phone.base_url}/call", headers={"Host": host})
            assert reply.status_code == status


async def refused(url: str) -> bool:
    try:
        async with connect(url):
            return False
    except InvalidStatus as error:
        return error.response.status_code == 403


async def test_a_token_opens_one_stream_only() -> None:
    async with line() as phone:
        url = await twilio(phone).dial()
        async with connect(url):
            assert await refused(url)
        assert await refused(url)


async def test_a_made_up_token_is_refused() -> None:
    async with line() as phone:
        assert await refused(f"ws{phone.base_url.removeprefix('http')}/stream/guess")


async def closed_with(socket: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as closed:
        async with asyncio.timeout(5):
            await socket.recv()
    frame = closed.value.rcvd
    return (frame.code, frame.reason) if frame else (1006, "")


async def test_the_stream_of_another_call_is_refused() -> None:
    async with line() as phone, connect(await twilio(phone).dial()) as socket:
        start: dict[str, Any] = {**START, "start": {**START["start"], "callSid": "CA2"}}
        await socket.send(json.dumps(start))
        assert await closed_with(socket) == (1008, "wrong call")


async def test_no_start_closes_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.phone.handshake.START_DEADLINE_S", 0.05)
    async with line() as phone, connect(await twilio(phone).dial()) as socket:
        assert await closed_with(socket) == (1008, "no start message")


async def test_a_second_caller_hears_busy() -> None:
    async with line(max_calls=1) as phone:
        other = FakeTwilio(phone.base_url, TOKEN, "CA2")
        first, second = await twilio(phone).dial(), await other.dial()
        async with connect(first) as socket, connect(second) as late:
            await socket.send(json.dumps(START))
            await eventually(lambda: len(phone.sessions) == 1)
            busy = ET.fromstring((await twilio(phone).webhook()).text)  # noqa: S314
            assert busy.find("Reject") is not None
            await late.send(json.dumps(START).replace("CA1", "CA2"))
            assert await closed_with(late) == (1013, "all lines are taken")


async def test_a_huge_message_closes_that_call_only() -> None:
    async with line(max_calls=2) as phone, connect(await twilio(phone).dial()) as good:
        await good.send(json.dumps(START))
        async with connect(await twilio(phone).dial()) as bad:
            await bad.send(json.dumps(START))
            await eventually(lambda: len(phone.sessions) == 2)
            await bad.send("x" * (MAX_MESSAGE_BYTES + 1))
            assert (await closed_with(bad))[0] == 1009
        await good.send("still here")
        await eventually(lambda: "still here" in phone.messages)


async def test_a_huge_webhook_is_413() -> None:
    async with line() as phone, httpx.AsyncClient() as client:
        reply = await client.post(f"{phone.base_url}/call", content=b"x" * 300_000)
        assert reply.status_code == 413


async def chunks() -> AsyncIterator[bytes]:
    for _ in range(30):
        yield b"x" * 10_000


async def test_so_is_one_that_does_not_say_its_length() -> None:
    async with line() as phone, httpx.AsyncClient() as client:
        reply = await client.post(f"{phone.base_url}/call", content=chunks())
        assert reply.status_code == 413


async def test_exotel_asks_by_get_with_basic_authentication() -> None:
    secrets = {"EXOTEL_API_KEY": "key", "EXOTEL_API_TOKEN": "token"}
    async with line("exotel", secrets) as phone, httpx.AsyncClient() as client:
        assert (await client.get(f"{phone.base_url}/call")).status_code == 403
        reply = await client.get(f"{phone.base_url}/call?From=1", auth=("key", "token"))
        assert "/stream/" in reply.json()["url"]


async def test_plivo_signs_nonce_and_fields() -> None:
    import hashlib
    import hmac

    async with line("plivo", {"PLIVO_AUTH_TOKEN": TOKEN}) as phone, httpx.AsyncClient() as client:
        fields = {"CallUUID": "CA1", "From": "15550100"}
        text = f"{phone.base_url}/call?" + "".join(k + fields[k] for k in sorted(fields)) + ".n1"
        mac = hmac.new(TOKEN.encode(), text.encode(), hashlib.sha256).digest()
        headers = {
            "X-Plivo-Signature-V3": base64.b64encode(mac).decode(),
            "X-Plivo-Signature-V3-Nonce": "n1",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        url = f"{phone.base_url}/call"
        reply = await client.post(url, content=urlencode(fields), headers=headers)
        assert reply.status_code == 200
        assert "<Stream" in reply.text
        wrong = await client.post(url, content=urlencode({"CallUUID": "CA2"}), headers=headers)
        assert wrong.status_code == 403
