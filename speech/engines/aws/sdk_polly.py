"""Polly's bidirectional streams, one for each unit, opened before it is needed."""

from __future__ import annotations

import asyncio
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
from speech.engines.aws.retry import with_retries
from speech.engines.aws.sdk_common import (
    FAILURES,
    Credentials,
    Transport,
    close_client,
    close_events,
    close_input,
    opened,
    understood,
)
from speech.errors import EngineError

WHAT = "Polly"
ENGINE = "generative"
"""The only one that streams both ways."""
SEND_TIMEOUT_S = 10.0


class PollyStreams:
    """Opens streams; they share a connection."""

    def __init__(self, access: Access, *, connect_timeout_s: float) -> None:
        self._access, self._connect_timeout_s = access, connect_timeout_s
        self._client: AsyncPollyClient | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Find the credentials and the region. Raises ``UsageError``, ``EngineRefusedError``."""
        await self._ready()

    async def open(self, voice: str) -> PollyStream:
        """A stream of a voice. Asks again after throttling and 5xx; raises ``EngineError``."""
        return await with_retries(lambda: self._open(voice))

    async def aclose(self) -> None:
        """End the connection."""
        if self._client is not None:
            await close_client(self._client)

    async def _open(self, voice: str) -> PollyStream:
        asked = StartSpeechSynthesisStreamInput(
            engine=ENGINE, voice_id=voice, output_format="pcm", sample_rate=str(RATE_HZ)
        )
        try:
            stream, events = await opened(self._begin(asked), self._connect_timeout_s)
        except (*FAILURES, TimeoutError, EngineError) as error:
            raise understood(WHAT, error) from error
        return PollyStream(stream, events)

    async def _begin(self, asked: StartSpeechSynthesisStreamInput) -> Any:
        client = await self._ready()
        return await client.start_speech_synthesis_stream(asked)

    async def _ready(self) -> AsyncPollyClient:
        async with self._starting:
            if self._client is None:
                await self._access.credentials()
                config = await AsyncPollyConfig.resolve(
                    endpoint_uri=self._access.endpoint_url,
                    region=self._access.known_region(),
                    aws_credentials_identity_resolver=Credentials(self._access),
                    transport=Transport(self._access.trusted()),
                    max_attempts=1,  # asked again by us, who know what was heard
                )
                self._client = AsyncPollyClient(config=config)
            return self._client


class PollyStream:
    """One unit's way to Polly and back.

    Polly does not say where in its sound a text ends, only that the stream has ended: hence a
    stream for each unit.
    """

    def __init__(self, stream: Any, events: Any) -> None:
        self._stream, self._events = stream, events

    async def keep_alive(self) -> None:
        """Say nothing, which counts as an event."""
        await self._send(TextEvent(text="", text_type="text"))

    async def say(self, text: str, kind: str) -> None:
        """Send the unit, have it spoken at once, and end what is sent."""
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
                if isinstance(event, StartSpeechSynthesisStreamEventStreamAudioEvent):
                    return bytes(event.value.audio_chunk or b"")
                if isinstance(event, StartSpeechSynthesisStreamEventStreamStreamClosedEvent):
                    return None
                if event is None:
                    raise ServiceError(f"{WHAT} ended the stream before the unit's end")
        except FAILURES as error:
            raise understood(WHAT, error) from error

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
        except (*FAILURES, TimeoutError) as error:
            raise understood(WHAT, error) from error
