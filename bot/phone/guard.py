"""A serializer that survives what a carrier, or a stranger, may send."""

from __future__ import annotations

import asyncio
import base64
import binascii
import time
from collections.abc import Callable
from typing import Any

from loguru import logger
from pipecat.audio.dtmf.types import KeypadEntry
from pipecat.frames.frames import Frame
from pipecat.processors.frame_processor import FrameProcessorSetup
from pipecat.serializers.base_serializer import FrameSerializer

from bot.phone.flood import Pace, Verdict
from bot.phone.handshake import parse_event

HANG_UP_TIMEOUT_S = 5.0
"""pipecat's serializers hang up by an HTTP call that has no deadline of its own."""

MAX_PAYLOAD_CHARS = 48 * 1024
"""Base64 of one media message; carriers send 20 to 100 ms, under 5 kB."""

MULAW_BYTES_PER_S = 8_000

_KEYS = frozenset(key.value for key in KeypadEntry)
_ALWAYS_FINE = frozenset({"connected", "start", "mark", "stop", "playedStream", "clearedAudio"})


class GuardedSerializer(FrameSerializer):
    """Lets only well-formed messages through to ``inner``, and not too many (``flood``).

    The first bad message of a call is logged, and the first beyond the pace.

    pipecat's serializers raise on JSON that is no object and on bad base64, which its
    transport takes for a hang-up, and log the raw message, digits included. ``stopped`` is
    set when the carrier says the stream is over, or floods it; then ``hang_up``, which drops
    the connection, is called too: a peer that floods does not wait for a close to be answered.
    ``bytes_per_s`` are those of the carrier's encoding.
    """

    def __init__(
        self,
        inner: FrameSerializer,
        stopped: asyncio.Event,
        hang_up: Callable[[], None],
        bytes_per_s: int = MULAW_BYTES_PER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._inner = inner
        self._stopped = stopped
        self._hang_up = hang_up
        self._bytes_per_s = bytes_per_s
        self._pace = Pace(clock)
        self.refused = 0
        self.dropped = 0

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
        if event and event["event"] == "stop":
            self._stopped.set()
        good = event is not None and _well_formed(event)
        payload = _field(event, "media", "payload") if event and good else None
        if not self._in_pace(payload or ""):
            return None
        if not good:
            self._refuse()
            return None
        try:
            return await self._inner.deserialize(data)
        # an odd number of bytes of 16-bit audio, an encoding it cannot read; nesting that we
        # could just read, and it, deeper in the stack, cannot
        except (ValueError, RecursionError):
            self._refuse()
            return None

    def _in_pace(self, payload: str) -> bool:
        verdict = self._pace.judge(len(payload) * 3 / 4 / self._bytes_per_s)
        if verdict is Verdict.TAKE:
            return True
        self.dropped += 1
        if self.dropped == 1:
            logger.warning("The carrier sends faster than real time; dropping what is too much")
        if verdict is Verdict.HANG_UP and not self._stopped.is_set():
            logger.error("Hanging up: the carrier floods the call ({} dropped)", self.dropped)
            self._stopped.set()
            self._hang_up()
        return False

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
