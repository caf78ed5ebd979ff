"""Polly's StartSpeechSynthesisStream, with a tone for a voice."""

from __future__ import annotations

import asyncio
import json

from tests.aws.bidirectional import SessionOverError, signed
from tests.aws.fake_voice import pcm
from tests.aws.framing import event, exception
from tests.aws.hooks import FailingError, Hooks, Seen
from tests.aws.http2 import Stream
from tests.aws.signing import Chain

PATH = "/v1/synthesisStream"
_PIECE_BYTES = 4_800


class PollyStream:
    """One stream: text is kept until it is flushed or the stream is closed."""

    def __init__(self, stream: Stream, chain: Chain, hooks: Hooks, seen: Seen) -> None:
        self._stream, self._chain, self._hooks, self._seen = stream, chain, hooks, seen
        self._text, self._characters, self._sent = "", 0, 0
        self.rate_hz = int(stream.headers.get("x-amzn-samplerate", "24000"))

    async def run(self) -> None:
        """Speak what comes until the client has closed."""
        self._stream.respond(200, content_type="application/vnd.amazon.eventstream")
        self._seen.open_sessions += 1
        try:
            async with asyncio.timeout(self._hooks.session_s):
                await self._events()
        except SessionOverError as error:
            await self._stream.send(error.last.encode())
        except TimeoutError:
            last = exception("ValidationException", message="the stream has lasted too long")
            await self._stream.send(last.encode())
        except ConnectionResetError:
            self._stream.reset()
            return
        finally:
            self._seen.open_sessions -= 1
        self._stream.end()

    async def _events(self) -> None:
        events = signed(self._stream, self._chain, self._seen)
        while True:
            try:
                async with asyncio.timeout(self._hooks.idle_s):
                    message = await anext(events)
            except (TimeoutError, StopAsyncIteration) as error:
                last = exception("ValidationException", message="no event within 5 s")
                raise SessionOverError(last) from error
            if message.headers[":event-type"] == "CloseStreamEvent":
                await self._speak()
                counted = json.dumps({"RequestCharacters": self._characters}).encode()
                closed = event("StreamClosedEvent", counted, "application/json")
                await self._stream.send(closed.encode())
                return
            await self._take(json.loads(message.payload))

    async def _take(self, text: dict[str, object]) -> None:
        self._seen.texts.append(str(text.get("Text")))
        self._text += str(text.get("Text") or "")
        flush = text.get("FlushStreamConfiguration")
        if isinstance(flush, dict) and flush.get("Force"):
            await self._speak()

    async def _speak(self) -> None:
        spoken, self._text = self._text, ""
        self._characters += len(spoken)
        sound = pcm(spoken, self.rate_hz)
        for start in range(0, len(sound), _PIECE_BYTES):
            try:
                await self._hooks.before_part(self._sent)
            except FailingError as error:
                failure = exception("ServiceFailureException", message="failed")
                raise SessionOverError(failure) from error
            piece = sound[start : start + _PIECE_BYTES]
            part = event("AudioEvent", piece, "application/octet-stream")
            await self._stream.send(part.encode())
            self._sent += 1
