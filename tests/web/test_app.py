"""The page's server answers offers while it has a place, and refuses the rest in plain words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection

from bot.config.schema import WebSettings
from bot.web.app import WebApp
from bot.web.ice import allow_loopback
from bot.web.listen import bind, serving, url_of
from bot.web.sessions import Sessions
from tests.web.test_sessions import FakeConversation

JSON = {"Content-Type": "application/json"}


class Page:
    """A page server whose conversations are fakes, and a client for it."""

    def __init__(self, url: str, sessions: Sessions, client: httpx.AsyncClient) -> None:
        self.url = url
        self.sessions = sessions
        self.client = client
        self.connections: list[SmallWebRTCConnection] = []

    async def on_connection(self, connection: SmallWebRTCConnection) -> None:
        self.connections.append(connection)
        self.sessions.start(FakeConversation(), asyncio.Event())


@asynccontextmanager
async def page(**web: Any) -> AsyncIterator[Page]:
    allow_loopback()
    settings = WebSettings(**web)
    with bind("127.0.0.1", 0, "web") as sock:
        async with (
            httpx.AsyncClient(base_url=url_of(sock), timeout=10) as client,
            asyncio.TaskGroup() as group,
        ):
            sessions = Sessions(settings.max_sessions, group, lambda _: None)
            built = Page(url_of(sock), sessions, client)
            app = WebApp(settings, sessions, built.on_connection)
            async with serving(app.asgi, sock):
                yield built
                await sessions.end_all()
                await app.aclose()


@asynccontextmanager
async def peer() -> AsyncIterator[RTCPeerConnection]:
    """A WebRTC client with a microphone and an offer ready to send."""
    connection = RTCPeerConnection()
    connection.addTrack(AudioStreamTrack())
    connection.createDataChannel("chat")
    await connection.setLocalDescription(await connection.createOffer())
    try:
        yield connection
    finally:
        await connection.close()


def offer_of(connection: RTCPeerConnection) -> dict[str, str]:
    return {"sdp": connection.localDescription.sdp, "type": connection.localDescription.type}


async def test_the_page_is_there_and_may_talk_to_this_server_only() -> None:
    async with page() as site:
        reply = await site.client.get("/")
        assert "<title>Earshot</title>" in reply.text
        assert "default-src 'self'" in reply.headers["content-security-policy"]
        for name in ("page.js", "call.js", "page.css"):
            assert (await site.client.get(f"/{name}")).status_code == 200


async def test_pipecats_prebuilt_page_is_beside_it() -> None:
    async with page() as site:
        assert '<div id="root">' in (await site.client.get("/client/")).text


async def test_the_status_counts_the_sessions() -> None:
    async with page(max_sessions=3) as site:
        status = (await site.client.get("/status")).json()
        assert (status["sessions"], status["max_sessions"]) == (0, 3)


async def test_start_hands_out_the_configured_ice_servers_only() -> None:
    async with page() as site:
        reply = await site.client.post("/start", json={"enableDefaultIceServers": True})
        assert reply.json()["iceConfig"] == {"iceServers": []}
    async with page(ice_servers=("stun:stun.example.com",)) as site:
        servers = (await site.client.post("/start", json={})).json()["iceConfig"]["iceServers"]
        assert servers == [{"urls": ["stun:stun.example.com"]}]


@pytest.mark.parametrize("path", ["/api/offer", "/sessions/abc/api/offer"])
async def test_an_offer_is_answered_and_connects(path: str) -> None:
    async with page() as site, peer() as mine:
        answer = (await site.client.post(path, json=offer_of(mine))).json()
        await mine.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))
        async with asyncio.timeout(15):
            while mine.connectionState != "connected":  # noqa: ASYNC110  aiortc has no awaitable
                await asyncio.sleep(0.02)
        assert len(site.sessions) == 1
        assert site.connections[0].pc_id == answer["pc_id"]


async def test_when_all_places_are_taken_the_page_is_told() -> None:
    async with page(max_sessions=1) as site, peer() as mine, peer() as late:
        assert (await site.client.post("/api/offer", json=offer_of(mine))).status_code == 200
        for path, body in (("/start", {}), ("/api/offer", offer_of(late))):
            reply = await site.client.post(path, json=body)
            assert reply.status_code == 503
            assert "taken" in reply.json()["detail"]
        assert len(site.sessions) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff", 400),
        (b"[" * 30_000, 400),
        (b"[]", 422),
        (b"null", 422),
        (b"{}", 422),
        (b'{"sdp": "v=0", "type": "offer", "surprise": 1}', 422),
        (b'{"sdp": "nonsense", "type": "offer"}', 400),
        (b'{"sdp": "", "type": "offer"}', 400),
        (b'{"sdp": 7, "type": "offer"}', 400),
        (b'{"sdp": "v=0\\r\\nm=audio", "type": "offer"}', 400),
        (b'{"sdp": "v=0", "type": "gift"}', 400),
        (b"x" * 300_000, 413),
    ],
)
async def test_a_bad_offer_is_refused_and_takes_no_place(body: bytes, status: int) -> None:
    async with page() as site:
        reply = await site.client.post("/api/offer", content=body, headers=JSON)
        assert reply.status_code == status
        assert len(site.sessions) == 0
        assert (await site.client.get("/status")).status_code == 200


async def test_offers_that_come_together_share_the_places() -> None:
    async with page(max_sessions=1) as site, peer() as one, peer() as two, peer() as three:
        replies = await asyncio.gather(
            *(site.client.post("/api/offer", json=offer_of(p)) for p in (one, two, three))
        )
        assert sorted(reply.status_code for reply in replies) == [200, 503, 503]
        assert len(site.connections) == 1


async def test_a_made_up_connection_id_is_no_way_past_the_limit() -> None:
    async with page(max_sessions=1) as site, peer() as mine, peer() as late:
        await site.client.post("/api/offer", json=offer_of(mine))
        for made_up in ("x", 7, ["x"], {"x": 1}):
            body = {**offer_of(late), "pc_id": made_up, "restart_pc": True}
            assert (await site.client.post("/api/offer", json=body)).status_code == 503
        assert len(site.sessions) == 1


async def test_a_live_connection_may_negotiate_again_in_its_own_place() -> None:
    async with page(max_sessions=1) as site, peer() as mine, peer() as late:
        answer = (await site.client.post("/api/offer", json=offer_of(mine))).json()
        await mine.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))
        await mine.setLocalDescription(await mine.createOffer())
        again = await site.client.post(
            "/api/offer", json={**offer_of(mine), "pc_id": answer["pc_id"]}
        )
        assert again.json()["pc_id"] == answer["pc_id"]
        assert len(site.sessions) == 1
        await site.connections[0].disconnect()
        gone = {**offer_of(late), "pc_id": answer["pc_id"]}
        assert (await site.client.post("/api/offer", json=gone)).status_code == 503


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[" * 30_000, 400),
        (b"{", 400),
        (b"[]", 422),
        (b'{"pc_id": "x"}', 422),
        (b'{"pc_id": "x", "candidates": [{"candidate": 7}]}', 422),
        (b'{"pc_id": "x", "candidates": []}', 404),
    ],
)
async def test_a_bad_patch_is_refused(body: bytes, status: int) -> None:
    async with page() as site:
        reply = await site.client.patch("/api/offer", content=body, headers=JSON)
        assert reply.status_code == status


@pytest.mark.parametrize("junk", ["nonsense", "candidate:1 1 udp x 127.0.0.1 y typ host", "\0"])
async def test_junk_candidates_are_refused(junk: str) -> None:
    async with page() as site, peer() as mine:
        answer = (await site.client.post("/api/offer", json=offer_of(mine))).json()
        candidate = {"candidate": junk, "sdp_mid": "0", "sdp_mline_index": 0}
        body = {"pc_id": answer["pc_id"], "candidates": [candidate]}
        assert (await site.client.patch("/api/offer", json=body)).status_code == 400
        assert len(site.sessions) == 1


WRITES = [("POST", "/start"), ("POST", "/api/offer"), ("PATCH", "/api/offer")]


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content-Type": ""}, 415),
        ({**JSON, "Origin": "https://evil.example.com"}, 403),
        ({**JSON, "Origin": "http://127.0.0.1:1"}, 403),
        ({**JSON, "Origin": "null"}, 403),
        ({**JSON, "Origin": "http://[x"}, 403),
        ({**JSON, "Origin": ""}, 403),
    ],
)
async def test_a_page_of_another_site_changes_nothing(
    method: str, path: str, headers: dict[str, str], status: int
) -> None:
    async with page() as site, peer() as mine:
        content = json.dumps(offer_of(mine))
        reply = await site.client.request(method, path, content=content, headers=headers)
        assert reply.status_code == status
        assert reply.json()["detail"].count("\n") == 0
        assert site.connections == []


async def test_our_own_page_may() -> None:
    async with page() as site, peer() as mine:
        own = {"Origin": site.url, "Content-Type": "application/json; charset=utf-8"}
        reply = await site.client.post(
            "/api/offer", content=json.dumps(offer_of(mine)), headers=own
        )
        assert reply.status_code == 200
    async with page(allow_public=True) as site:  # behind a proxy that adds TLS
        proxied = {"Origin": "https://bot.example.com", "Host": "bot.example.com"}
        assert (await site.client.post("/start", json={}, headers=proxied)).status_code == 200


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:7860", "LOCALHOST:1"])
async def test_every_name_of_this_machine_is_good(host: str) -> None:
    async with page() as site:
        assert (await site.client.get("/status", headers={"Host": host})).status_code == 200


async def test_candidates_for_an_unknown_peer_are_404() -> None:
    async with page() as site:
        reply = await site.client.patch("/api/offer", json={"pc_id": "x", "candidates": []})
        assert reply.status_code == 404


async def test_another_sites_name_for_this_machine_is_refused() -> None:
    """DNS rebinding: the address is ours, the name is not."""
    async with page() as site:
        reply = await site.client.post("/start", json={}, headers={"Host": "evil.example.com"})
        assert reply.status_code == 400
    async with page(allow_public=True) as site:
        reply = await site.client.post("/start", json={}, headers={"Host": "bot.example.com"})
        assert reply.status_code == 200
