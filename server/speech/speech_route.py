"""An HTTP route that answers text with speech."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from loguru import logger
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from server.speech.asked import Asked, Fields, Refusal
from server.speech.encoders import WAV, wav_header
from server.speech.rendering import Rendering
from server.speech.reply import Sender, stream_bytes, stream_events, while_connected
from server.speech.service import RETRY_AFTER_S, Saturated, SpeechService
from server.speech.unit import begin
from speech.errors import EarshotError, EngineBusyError, UnknownVoiceError, UsageError
from speech.redact import place_of
from speech.text_clean import clean
from speech.wire import WireError
from speech.wire.json_text import as_bytes, read_object


class SpeechRoute(ABC):
    """Admits, reads, speaks, answers; the place taken is given back however that ends."""

    name: str

    def __init__(self, service: SpeechService) -> None:
        self.service = service

    @abstractmethod
    async def read(self, fields: Fields) -> Asked:
        """The request. Raises ``Refusal``."""

    @abstractmethod
    def refusal(self, refusal: Refusal) -> Response:
        """How this API says no."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status, begun = 200, time.monotonic()
        try:
            with self.service.request():
                await self._answer(Request(scope, receive), send)
        except ClientDisconnect:
            status = 499
        except TimeoutError:  # its reader takes nothing
            status = 499
        except Refusal as error:
            status = error.status
            await self.refusal(error)(scope, receive, send)
        except Saturated as error:
            status = 503
            await self.refusal(_saturated(error))(scope, receive, send)
        self.service.metrics.requests.labels(self.name, str(status)).inc()
        seconds = time.monotonic() - begun
        logger.info(
            "A request ended: route={} status={} seconds={:.2f}", self.name, status, seconds
        )

    async def _answer(self, request: Request, send: Send) -> None:
        asked = await self.read(Fields(await self._body(request)))
        await while_connected(request.receive, self._speak(asked, send))

    async def _body(self, request: Request) -> dict[str, Any]:
        limit = self.service.limits.body_bytes
        body = bytearray()
        try:
            async for piece in request.stream():
                body += piece
                if len(body) > limit:
                    raise Refusal(413, f"the body may have {limit} bytes")
            return read_object(as_bytes(bytes(body), limit))
        except WireError as error:
            raise Refusal(400, f"the body is no JSON object ({error.code})") from None

    async def _speak(self, asked: Asked, send: Send) -> None:
        begun = time.monotonic()
        sender = Sender(send, self.service.limits.idle_s)
        async with self._rendering(asked) as rendering:
            try:
                if asked.stream or asked.events:
                    await self._stream(sender, asked, rendering)
                else:
                    await self._whole(sender, asked, rendering, begun)
            finally:
                self.service.metrics.audio.inc(rendering.audio_s)
                self.service.metrics.synthesis.inc(rendering.synth_s)

    @asynccontextmanager
    async def _rendering(self, asked: Asked) -> AsyncIterator[Rendering]:
        with refused_as_told(self.service):
            self.service.check_voice(asked.voice)
            session = await self.service.engine.open(asked.voice, asked.speed)
        try:
            with refused_as_told(self.service):
                chunks = begin(session, "1", clean(asked.text), _due_ms(asked))
            yield Rendering(asked, chunks, self.service.engine.sample_rate)
        finally:
            session.cancel("1")
            await session.aclose()

    async def _stream(self, sender: Sender, asked: Asked, rendering: Rendering) -> None:
        async with aclosing(rendering.pieces()) as pieces:
            first = await self._first(asked, pieces)
            whole = _after(first, pieces)
            if asked.events:
                await stream_events(sender, asked, rendering, whole)
                return
            try:
                await stream_bytes(sender, asked, whole)
            except EarshotError as error:  # too late for a status: the body stays short
                logger.warning("A request failed in its stream: {}", place_of(error))

    async def _first(self, asked: Asked, pieces: AsyncGenerator[bytes]) -> bytes:
        """Before anything is sent, so that what fails until now has its status."""
        begun = time.monotonic()
        try:
            with refused_as_told(self.service):
                async with asyncio.timeout(asked.fresh_s):
                    first = await anext(pieces, b"")
        except TimeoutError:
            raise Refusal(408, "request_stale") from None
        self.service.metrics.first_audio.labels(self.name).observe(time.monotonic() - begun)
        return first

    async def _whole(
        self, sender: Sender, asked: Asked, rendering: Rendering, begun: float
    ) -> None:
        with refused_as_told(self.service):
            body = await _rendered(asked, rendering)
        elapsed_s = time.monotonic() - begun
        headers = {
            "X-Audio-Duration": f"{rendering.audio_s:.3f}",
            "X-Inference-Time-Ms": f"{elapsed_s * 1000:.1f}",
            "X-RTF": f"{elapsed_s / rendering.audio_s if rendering.audio_s else 0.0:.4f}",
            "X-Characters-Processed": str(len(asked.text)),
            "Content-Length": str(len(body)),
        }
        await sender.start(asked.format.media_type, headers)
        await sender.body(body, last=True)


class refused_as_told:
    """What an engine raises in the block, as the refusal it is for the client."""

    def __init__(self, service: SpeechService) -> None:
        self._service = service

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, EngineBusyError):
            self._service.metrics.refused.labels("capacity").inc()
            depth, most = self._service.requests, self._service.limits.requests
            raise _saturation(depth, most, error.retry_after_s) from None
        if isinstance(error, UnknownVoiceError):
            names = self._service.engine.voices()
            raise Refusal(400, f"voice must be one of {names}", param="voice") from None
        if isinstance(error, UsageError):
            raise Refusal(400, str(error)) from None
        if isinstance(error, Exception) and not isinstance(error, Refusal | TimeoutError):
            logger.warning("A request failed: {}", place_of(error))
            raise Refusal(500, "synthesis failed") from None


def _due_ms(asked: Asked) -> int | None:
    """Who wants it whole waits for the last sample, and need not be heard at once."""
    if asked.stream or asked.events or asked.fresh_s is None:
        return None
    return int(1000 * asked.fresh_s)


async def _rendered(asked: Asked, rendering: Rendering) -> bytes:
    if asked.format is not WAV:
        async with aclosing(rendering.pieces()) as pieces:
            return b"".join([piece async for piece in pieces])
    pcm = (await rendering.samples()).astype("<i2").tobytes()
    return wav_header(asked.sample_rate, len(pcm)) + pcm


async def _after(first: bytes, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    if first:
        yield first
    async for piece in pieces:
        yield piece


def _saturated(error: Saturated) -> Refusal:
    if error.why != "queue_saturated":
        return Refusal(503, error.why, retry_after_s=error.retry_after_s)
    return _saturation(error.depth, error.most, error.retry_after_s)


def _saturation(depth: int, most: int, retry_after_s: float | None) -> Refusal:
    more = {"queue_depth": depth, "max_queue_depth": most}
    wait_s = retry_after_s or RETRY_AFTER_S
    return Refusal(503, "queue_saturated", more=more, retry_after_s=wait_s)


def text_of(fields: Fields, name: str, service: SpeechService) -> str:
    """The text to be said. Raises ``Refusal`` (400) for one that is missing or too long."""
    try:
        text = fields.text(name, "")
    except Refusal:
        text = ""
    if not text:
        raise Refusal(400, f"{name} is required", param=name)
    if len(text) > service.limits.text_chars:
        raise Refusal(400, f"{name} may have {service.limits.text_chars} characters", param=name)
    return text


def speed_of(fields: Fields) -> float:
    """Raises ``Refusal`` (400) for a speed the engine has not."""
    speed = fields.number("speed", 1.0)
    if speed is None or not 0.5 <= speed <= 2.0:
        raise Refusal(400, "speed must be between 0.5 and 2.0", param="speed")
    return speed


def error_body(refusal: Refusal) -> JSONResponse:
    """As the reference says no."""
    body = {"error": refusal.reason, **refusal.more}
    return JSONResponse(body, refusal.status, refusal.headers)
