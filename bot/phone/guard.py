"""A serializer that survives what a carrier, or a stranger, may send."""

from __future__ import annotations

import asyncio
import base64
import binascii
from typing import Any

from loguru import logger
from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameProcessorSetup
from pipecat.serializers.base_serializer import FrameSerializer

from bot.phone.handshake import parse_event

HANG_UP_TIMEOUT_S = 5.0
"""pipecat's serializers hang up by an HTTP call that has no deadline of its own."""

MAX_PAYLOAD_CHARS = 48 * 1024
"""Base64 of one media message; carriers send 20 to 100 ms, under 5 kB."""

_KEYS = frozenset(key.value for key in KeypadEntry)
_ALWAYS_FINE = frozenset({"connected", "start", "mark", "stop", "playedStream", "clearedAudio"})


class GuardedSerializer(FrameSerializer):
    """Lets only well-formed messages through to ``inner``; logs the first bad one of a call.

    pipecat's serializers raise on JSON that is no object and on bad base64, which its
    transport takes for a hang-up, and log the raw message, digits included. ``stopped`` is
    set when the carrier says the stream is over.
    """

    def __init__(self, inner: FrameSerializer, stopped: asyncio.Event) -> None:
        super().__init__()
        self._inner = inner
        self._stopped = stopped
        self.refused = 0

    # The override is pipecat's own: its transports call serializers with this type.
    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        await self._inner.setup(setup)

    async def serialize(self, frame: Frame) -> str | bytes | None:
        try:
            async with asyncio.timeout(HANG_UP_TIMEOUT_S):
                return await self._inner.serialize(frame)
        except TimeoutError:
            logger.warning("The carrier did not confirm the hang-up in time")
            return None

    async def deserialize(self, data: str | bytes) -> Frame | None:
        event = parse_event(data)
        if event is None or not _well_formed(event):
            self._refuse()
            return None
        if event["event"] == "stop":
            self._stopped.set()
        try:
            return await self._inner.deserialize(data)
        except ValueError:  # an odd number of bytes of 16-bit audio, an encoding it cannot read
            self._refuse()
            return None

    def _refuse(self) -> None:
        self.refused += 1
        if self.refused == 1:
            logger.warning("Ignored a malformed message from the carrier (told once a call)")


def _well_formed(event: dict[str, Any]) -> bool:
    match event["event"]:
        case "media":
            return _is_base64(_field(event, "media", "payload"))
        case "dtmf":
            return _field(event, "dtmf", "digit") in _KEYS
        case name:
            return name in _ALWAYS_FINE


def _field(event: dict[str, Any], group: str, name: str) -> Any:
    inner = event.get(group)
    value = inner.get(name) if isinstance(inner, dict) else None
    return value if isinstance(value, str) else None


def _is_base64(payload: str | None) -> bool:
    if not payload or len(payload) > MAX_PAYLOAD_CHARS:
        return False
    try:
        base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
