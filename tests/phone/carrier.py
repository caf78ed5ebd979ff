"""A small carrier: dials the webhook, opens the stream, talks and listens in real time."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import numpy as np
from numpy.typing import NDArray
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from bot.phone.app import CALL_PATH

RATE_HZ = 8_000
PACKET_S = 0.02
PACKET_SAMPLES = int(RATE_HZ * PACKET_S)
PAUSE_S = 2.0
PATIENCE_S = 90.0
"""How long a test waits for speech on a busy machine before it fails."""

START: dict[str, Any] = {
    "event": "start",
    "streamSid": "MZ1",
    "start": {
        "streamSid": "MZ1",
        "callSid": "CA1",
        "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE_HZ, "channels": 1},
    },
}


def twilio_signature(token: str, url: str, fields: dict[str, str]) -> str:
    """What Twilio puts in X-Twilio-Signature."""
    text = url + "".join(name + fields[name] for name in sorted(fields))
    return base64.b64encode(hmac.new(token.encode(), text.encode(), hashlib.sha1).digest()).decode()


@dataclass
class FakeTwilio:
    """Twilio's side of the webhook."""

    base_url: str
    token: str
    call_id: str = "CA1"

    async def webhook(self) -> httpx.Response:
        """Announce a call; the response holds TwiML."""
        url = self.base_url + CALL_PATH
        fields = {"CallSid": self.call_id, "From": "+15550100", "To": "+15550101"}
        headers = {"X-Twilio-Signature": twilio_signature(self.token, url, fields)}
        async with httpx.AsyncClient(timeout=10) as client:
            return await client.post(url, data=fields, headers=headers)

    async def dial(self) -> str:
        """Announce a call and return the stream's address from the TwiML."""
        reply = await self.webhook()
        reply.raise_for_status()
        stream = ET.fromstring(reply.text).find("Connect/Stream")  # noqa: S314
        assert stream is not None
        return stream.attrib["url"]


def _mulaw_tables() -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """G.711 µ-law: code of every int16 sample, and sample of every code."""
    codes = ~np.arange(256, dtype=np.uint8)
    exponent, mantissa = (codes >> 4) & 7, codes & 15
    size = (((mantissa.astype(np.int32) << 3) + 132) << exponent) - 132
    decoded = np.where(codes & 128, -size, size).astype(np.int16)
    order = np.argsort(decoded, kind="stable")
    samples = np.arange(-32_768, 32_768)
    middle = (decoded[order][1:].astype(np.int32) + decoded[order][:-1]) / 2
    return order[np.searchsorted(middle, samples)].astype(np.uint8), decoded


_ENCODED, _DECODED = _mulaw_tables()


def to_mulaw(samples: NDArray[np.int16]) -> bytes:
    return _ENCODED[samples.astype(np.int32) + 32_768].tobytes()


def from_mulaw(data: bytes) -> NDArray[np.int16]:
    return _DECODED[np.frombuffer(data, np.uint8)]


@dataclass
class Caller:
    """The far end of one stream: sends silence or a voice, keeps what it hears.

    ``heard`` has (arrival time, samples) of every media message, ``clears`` the times of
    ``clear``. Times are ``time.monotonic``.
    """

    socket: ClientConnection
    voice: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    heard: list[tuple[float, NDArray[np.int16]]] = field(default_factory=list)
    clears: list[float] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, samples: NDArray[np.int16]) -> float:
        """Speak from the next packet on; returns how long it takes, in seconds."""
        self.voice = np.concatenate([self.voice, samples])
        return len(samples) / RATE_HZ

    def audio(self, since: float = 0.0) -> NDArray[np.int16]:
        """What was heard from ``since`` on."""
        pieces = [samples for at, samples in self.heard if at >= since]
        return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)

    async def hears(self, since: float = 0.0) -> None:
        """Wait for audio that arrives after ``since``."""
        await self._until(lambda: any(at > since for at, _ in self.heard))

    async def hears_no_more(self) -> None:
        """Wait until nothing has arrived for ``PAUSE_S``."""
        await self._until(lambda: time.monotonic() - self.heard[-1][0] > PAUSE_S)

    async def is_cleared(self, since: float) -> float:
        """Wait for a ``clear`` after ``since``; returns when it came."""
        await self._until(lambda: any(at > since for at in self.clears))
        return next(at for at in self.clears if at > since)

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110  the wire has no event for silence
                await asyncio.sleep(PACKET_S)

    async def run(self) -> None:
        """Start the stream, then send and receive until the far end closes."""
        await self.socket.send(json.dumps({"event": "connected", "protocol": "Call"}))
        await self.socket.send(json.dumps(START))
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(self._send())
            await self._receive()
            self.ended.set()
            sending.cancel()

    async def _receive(self) -> None:
        try:
            async for message in self.socket:
                self._take(json.loads(message))
        except ConnectionClosed:
            return

    def _take(self, event: dict[str, Any]) -> None:
        self.events.append(event["event"])
        assert event["streamSid"] == "MZ1"
        if event["event"] == "media":
            samples = from_mulaw(base64.b64decode(event["media"]["payload"]))
            self.heard.append((time.monotonic(), samples))
        elif event["event"] == "clear":
            self.clears.append(time.monotonic())

    async def _send(self) -> None:
        due = time.monotonic()
        while True:
            packet, self.voice = self.voice[:PACKET_SAMPLES], self.voice[PACKET_SAMPLES:]
            padded = np.pad(packet, (0, PACKET_SAMPLES - len(packet)))
            payload = base64.b64encode(to_mulaw(padded)).decode()
            try:
                await self.socket.send(
                    json.dumps({"event": "media", "media": {"payload": payload}})
                )
            except ConnectionClosed:
                return
            due += PACKET_S
            await asyncio.sleep(max(0.0, due - time.monotonic()))
