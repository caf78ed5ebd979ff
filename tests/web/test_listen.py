"""A port that is taken, a host we do not have and a public host each get one clear line."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from bot.config.schema import WebSettings
from bot.web.ice import LOOPBACK, allow_loopback
from bot.web.listen import bind, is_loopback, serving, url_of
from bot.web.serve import refuse_public
from server.listen import abort
from speech.errors import EarshotError, UsageError


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.2", False),
        ("localhost.example.com", False),
        ("", False),
    ],
)
def test_which_hosts_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_a_busy_port_is_one_line_with_a_way_out() -> None:
    with bind("127.0.0.1", 0, "web") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(EarshotError, match=rf"127.0.0.1 port {port}.*--set web.port=N") as told:
            bind("127.0.0.1", port, "web")
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "", "a" * 70 + ".x"])
def test_a_host_that_is_not_ours(host: str) -> None:
    with pytest.raises(EarshotError):
        bind(host or "not an address", 0, "web")


def test_ipv6_addresses_are_bracketed() -> None:
    try:
        sock = bind("::1", 0, "web")
    except EarshotError:
        pytest.skip("no IPv6 here")
    with sock:
        assert url_of(sock).startswith("http://[::1]:")


def test_a_public_host_needs_the_users_word() -> None:
    with pytest.raises(UsageError, match=r"0\.0\.0\.0.*web\.allow_public"):
        refuse_public(WebSettings(host="0.0.0.0"))
    refuse_public(WebSettings(host="0.0.0.0", allow_public=True))
    refuse_public(WebSettings())


async def test_the_app_is_served_while_the_block_runs_and_not_after() -> None:
    sock = bind("127.0.0.1", 0, "web")
    url = url_of(sock)
    async with httpx.AsyncClient() as client:
        async with serving(PlainTextResponse("here"), sock):
            assert (await client.get(url)).text == "here"
        with pytest.raises(httpx.ConnectError):
            await client.get(url)


@pytest.mark.parametrize(("found", "offered"), [([], [LOOPBACK]), (["192.0.2.2"], ["192.0.2.2"])])
def test_loopback_is_offered_only_without_a_network(
    found: list[str], offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from aioice import ice

    from bot.web import ice as ours

    monkeypatch.setattr(ice, "get_host_addresses", ice.get_host_addresses)
    monkeypatch.setattr(ours, "_host_addresses", lambda *_: found)
    allow_loopback()
    allow_loopback()
    assert ice.get_host_addresses(use_ipv4=True, use_ipv6=True) == offered
    assert ice.get_host_addresses(use_ipv4=False, use_ipv6=True) == found


async def send_for_ever(peer: ClientConnection) -> None:
    while True:
        await peer.send("x" * 1_000)


async def test_an_aborted_socket_waits_for_no_close() -> None:
    async def drop(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        await socket.receive()
        abort(socket)
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
        ended.set()

    sock, ended = bind("127.0.0.1", 0, "web"), asyncio.Event()
    async with asyncio.timeout(20), serving(drop, sock), connect(url_of(sock, "ws")) as peer:
        with pytest.raises(ConnectionClosedError) as closed:
            await send_for_ever(peer)
        assert closed.value.rcvd is None
        await ended.wait()


async def test_a_cancelled_server_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.listen.SHUTDOWN_S", 60)
    asked = asyncio.Event()

    async def stuck(_scope: Scope, _receive: Receive, _send: Send) -> None:
        asked.set()
        await asyncio.Event().wait()

    async def served() -> None:
        async with serving(stuck, sock):
            await asyncio.Event().wait()

    sock = bind("127.0.0.1", 0, "web")
    async with httpx.AsyncClient() as client, asyncio.timeout(20):
        server = asyncio.create_task(served())
        request = asyncio.create_task(client.get(url_of(sock), timeout=30))
        await asked.wait()
        server.cancel()
        await asyncio.wait({server})
        request.cancel()
        await asyncio.wait({request})
