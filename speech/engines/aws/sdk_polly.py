"""Polly's bidirectional streams, one for each unit, opened before it is needed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aws_sdk_polly.client import AsyncPollyClient
from aws_sdk_polly.config import AsyncPollyConfig
from aws_sdk_polly.models import (
    CloseStreamEvent,
    FlushStreamConfiguration,
    StartSpeechSynthesisStreamActionStreamCloseStreamEvent,
    StartSpeechSynthesisStreamActionStreamTextEvent,
    StartSpeechSynthesisStreamEventStreamAudioEvent,
    StartSpeechSynthesisStreamEventStreamStreamClosedEvent,
    StartSpeechSynthesisStreamInput,
    TextEvent,
)

from speech.engines.aws.access import Access
from speech.engines.aws.errors import ServiceError
from speech.engines.aws.polly_voices import RATE_HZ
from speech.engines.aws.sdk_common import FAILURES, close_events, close_input, understood
from speech.engines.aws.sdk_service import Service

WHAT = "Polly"
ENGINE = "generative"
"""The only one that streams both ways."""
SEND_TIMEOUT_S = 10.0


class PollyStreams:
    """Opens streams; they share a connection."""

    def __init__(self, access: Access, *, connect_timeout_s: float) -> None:
        self._service = Service(
            WHAT, AsyncPollyClient, AsyncPollyConfig, access, connect_timeout_s=connect_timeout_s
        )

    async def start(self) -> None:
        """Find the credentials and the region. Raises ``UsageError``, ``EngineRefusedError``."""
        await self._service.start()

    async def open(self, voice: str) -> PollyStream:
        """A stream of a voice; one attempt. Raises ``EngineError``."""
        asked = StartSpeechSynthesisStreamInput(
            engine=ENGINE, voice_id=voice, output_format="pcm", sample_rate=str(RATE_HZ)
        )
        stream, events = await self._service.open(
            lambda client: client.start_speech_synthesis_stream(asked)
        )
        return PollyStream(stream, events, self._service)

    async def aclose(self) -> None:
        """End the connection."""
        await self._service.aclose()


class PollyStream:
    """One unit's way to Polly and back.

    Polly does not say where in its sound a text ends, only that the stream has ended: hence a
    stream for each unit.
    """

    def __init__(self, stream: Any, events: Any, service: Service) -> None:
        self._stream, self._events, self._service = stream, events, service
        self._last = time.monotonic()

    async def keep_alive(self) -> None:
        """Say nothing, which counts as an event."""
        await self._send(TextEvent(text="", text_type="text"))

    async def say(self, text: str, kind: str) -> None:
        """Send the unit, have it spoken at once, and end what is sent."""
        self._last = time.monotonic()
        flush = FlushStreamConfiguration(force=True)
        event = TextEvent(text=text, text_type=kind, flush_stream_configuration=flush)
        await self._send(event)
        await self._put(
            StartSpeechSynthesisStreamActionStreamCloseStreamEvent(value=CloseStreamEvent())
        )

    async def piece(self) -> bytes | None:
        """The next bytes of sound, None at the end. Raises ``EngineError``."""
        try:
            while True:
                event = await self._events.receive()
                self._last = time.monotonic()
                if isinstance(event, StartSpeechSynthesisStreamEventStreamAudioEvent):
                    return bytes(event.value.audio_chunk or b"")
                if isinstance(event, StartSpeechSynthesisStreamEventStreamStreamClosedEvent):
                    return None
                if event is None:
                    raise ServiceError(f"{WHAT} ended the stream before the unit's end")
        except FAILURES as error:
            raise understood(WHAT, error) from error

    def lost(self) -> None:
        """No answer has come in time: no other stream is opened over a dead connection."""
        self._service.lost(self._last)

    async def aclose(self) -> None:
        """End the stream, whatever it does; idempotent."""
        await close_input(self._stream)
        await close_events(self._events)

    async def _send(self, event: TextEvent) -> None:
        await self._put(StartSpeechSynthesisStreamActionStreamTextEvent(value=event))

    async def _put(self, event: Any) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._stream.input_stream.send(event)
        except TimeoutError as error:
            self.lost()
            raise understood(WHAT, error) from error
        except FAILURES as error:
            raise understood(WHAT, error) from error
