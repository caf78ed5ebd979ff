"""A stream starts with its carrier's start message, whatever comes before it, or not at all."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
from starlette.websockets import WebSocket

from bot.phone.handshake import NoStartError, StreamStart, await_start, parse_event, read_start

# One start message a carrier, as their documentation shows it.
STARTS: dict[str, dict[str, Any]] = {
    "twilio": {
        "event": "start",
        "sequenceNumber": "1",
        "streamSid": "MZ1",
        "start": {
            "streamSid": "MZ1",
            "callSid": "CA1",
            "accountSid": "AC1",
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        },
    },
    "telnyx": {
        "event": "start",
        "sequence_number": "1",
        "stream_id": "MZ1",
        "start": {
            "call_control_id": "CA1",
            "media_format": {"encoding": "PCMA", "sample_rate": 8000, "channels": 1},
        },
    },
    "plivo": {"event": "start", "start": {"streamId": "MZ1", "callId": "CA1"}},
    "exotel": {
        "event": "start",
        "stream_sid": "MZ1",
        "start": {"stream_sid": "MZ1", "call_sid": "CA1", "account_sid": "AC1"},
    },
}


class FakeSocket:
    """Gives out messages, then waits for ever (or tells of the peer's leaving)."""

    def __init__(self, *messages: str | bytes, leaves: bool = False) -> None:
        self.messages = list(messages)
        self.leaves = leaves

    async def receive(self) -> dict[str, Any]:
        if self.messages:
            message = self.messages.pop(0)
            kind = "text" if isinstance(message, str) else "bytes"
            return {"type": "websocket.receive", kind: message}
        if not self.leaves:
            await asyncio.Event().wait()
        return {"type": "websocket.disconnect", "code": 1006}


def socket(*messages: str | bytes, leaves: bool = False) -> WebSocket:
    return cast(WebSocket, FakeSocket(*messages, leaves=leaves))


@pytest.mark.parametrize("provider", STARTS)
def test_the_ids_are_read(provider: str) -> None:
    start = read_start(provider, STARTS[provider])
    assert start == StreamStart("MZ1", "CA1", "PCMA" if provider == "telnyx" else "PCMU")


@pytest.mark.parametrize("provider", STARTS)
@pytest.mark.parametrize(
    "event",
    [
        {"event": "connected"},
        {"event": "start"},
        {"event": "start", "start": None},
        {"event": "start", "start": {}},
        {"event": "start", "start": {"streamSid": 1, "callSid": 2, "streamId": 3, "callId": 4}},
        {"event": "media", "media": {"payload": "//8="}},
    ],
)
def test_anything_else_is_no_start(provider: str, event: dict[str, Any]) -> None:
    assert read_start(provider, event) is None


@pytest.mark.parametrize("message", ["", "{", "null", "[]", '{"event": 1}', b"\xff", "[" * 30_000])
def test_what_is_no_event_is_none(message: str | bytes) -> None:
    assert parse_event(message) is None


async def test_media_and_noise_before_the_start_are_dropped() -> None:
    media = '{"event":"media","media":{"payload":"//8="}}'
    early: list[str | bytes] = ['{"event":"connected"}', media, "{", b"\x00"]
    start = await await_start(socket(*early, json.dumps(STARTS["twilio"])), "twilio")
    assert start.stream_id == "MZ1"


async def test_no_start_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.phone.handshake.START_DEADLINE_S", 0.01)
    with pytest.raises(NoStartError, match="deadline"):
        await await_start(socket('{"event":"connected"}'), "twilio")


async def test_a_peer_that_leaves_first() -> None:
    with pytest.raises(NoStartError, match="left"):
        await await_start(socket('{"event":"connected"}', leaves=True), "twilio")
