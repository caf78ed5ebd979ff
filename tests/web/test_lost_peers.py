"""A browser that dies without a word is gone within 10 s, and junk it sends is not in the log."""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys

import pytest
from aioice import ice, stun
from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from bot.config.schema import Settings
from bot.logs import set_up_logging
from bot.web.ice import CONSENT_FAILURES, CONSENT_INTERVAL_S, notice_lost_peers
from bot.web.serve import Visit
from tests.web.test_app import Page, offer_of, page, peer
from tests.web.test_sessions import FakeConversation

SPEECH = "my card number is four two"


async def eventually(state: str, connection: RTCPeerConnection) -> None:
    async with asyncio.timeout(15):
        while connection.connectionState != state:  # noqa: ASYNC110  aiortc has no awaitable
            await asyncio.sleep(0.02)


async def connect(site: Page, mine: RTCPeerConnection) -> RTCPeerConnection:
    """The server's side of the connection."""
    answer = (await site.client.post("/api/offer", json=offer_of(mine))).json()
    await mine.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))
    await eventually("connected", mine)
    return site.connections[-1].pc


def test_the_longest_wait_is_under_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ice, "CONSENT_INTERVAL", ice.CONSENT_INTERVAL)
    monkeypatch.setattr(ice, "CONSENT_FAILURES", ice.CONSENT_FAILURES)
    notice_lost_peers()
    assert (ice.CONSENT_INTERVAL, ice.CONSENT_FAILURES) == (CONSENT_INTERVAL_S, CONSENT_FAILURES)
    assert CONSENT_FAILURES * (1.2 * CONSENT_INTERVAL_S + stun.RETRY_RTO) < 10


async def test_the_connection_to_a_dead_peer_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ice, "CONSENT_INTERVAL", 0.01)
    monkeypatch.setattr(ice, "CONSENT_FAILURES", 2)
    async with page() as site, peer() as mine:
        theirs = await connect(site, mine)
        for transceiver in mine.getTransceivers():
            for protocol in transceiver.sender.transport.transport._connection._protocols:
                protocol.transport.abort()
        await eventually("closed", theirs)


@pytest.mark.parametrize("fails", [None, RuntimeError("x")])
async def test_a_connection_ends_with_its_conversation(fails: Exception | None) -> None:
    """Also one whose page never connected, which pipecat's transport leaves alone."""
    async with page() as site, peer() as mine:
        await site.client.post("/api/offer", json=offer_of(mine))
        conversation = FakeConversation(fails)
        visit = Visit(conversation, site.connections[0])
        await visit.end()
        with pytest.raises(RuntimeError) if fails else contextlib.nullcontext():
            await visit.run()
        assert conversation.calls == ["end"]
        assert site.connections[0].pc.connectionState == "closed"


async def test_junk_on_the_data_channel_is_one_line_without_its_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    set_up_logging(Settings())
    async with page() as site, peer() as mine:
        theirs = await connect(site, mine)
        opened, arrived = asyncio.Event(), asyncio.Event()

        @theirs.on("datachannel")
        def _(channel: RTCDataChannel) -> None:
            channel.on("message", lambda text: arrived.set() if text == "ping" else None)

        channel = mine.createDataChannel("junk")
        channel.on("open", opened.set)
        async with asyncio.timeout(10):
            await opened.wait()
            for junk in (SPEECH, f"[{SPEECH}", f"{SPEECH}\n{SPEECH}", "[" * 30_000, SPEECH, "ping"):
                channel.send(junk)
            await arrived.wait()
    assert "card" not in log.getvalue()
    assert log.getvalue().count("Error parsing JSON message: …") == 1
