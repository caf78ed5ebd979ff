"""SageMaker's InvokeEndpointWithBidirectionalStream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from websockets.frames import Close, Frame, Opcode

from tests.aws.framing import Decoder, Message, decode_one, event, exception
from tests.aws.hooks import FailingError, Hooks, Reject, Seen
from tests.aws.http2 import Stream
from tests.aws.signing import BadSignatureError, Chain
from tests.aws.websocket_leg import ContainerError, Leg

PATH = "/invocations-bidirectional-stream"
PINGS = 5


class SessionOverError(Exception):
    """The stream ends with this message."""

    def __init__(self, last: Message) -> None:
        super().__init__(last.headers[":exception-type"])
        self.last = last


class Session:
    """One client stream and the connection to the container that belongs to it."""

    def __init__(self, stream: Stream, chain: Chain, leg: Leg, hooks: Hooks, seen: Seen) -> None:
        self._stream, self._chain, self._leg = stream, chain, leg
        self._hooks, self._seen = hooks, seen
        self._sent = 0

    async def run(self) -> None:
        """Carry parts both ways until one side ends."""
        self._stream.respond(200, content_type="application/vnd.amazon.eventstream")
        self._seen.open_sessions += 1
        ways = [asyncio.create_task(way()) for way in (self._down, self._up, self._watch)]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            await self._end(done)
        finally:
            self._seen.open_sessions -= 1
            self._leg.close()  # first: this task may be cancelled while it waits
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _end(self, done: set[asyncio.Task[None]]) -> None:
        for way in done:
            error = way.exception()
            if isinstance(error, SessionOverError):
                await self._stream.send(error.last.encode())
            elif error is not None:
                self._stream.reset()
                return
        self._stream.end()

    async def _down(self) -> None:
        """The client's parts, one frame each; returns when it has half-closed."""
        first = True
        async for message in signed(self._stream, self._chain, self._seen):
            await asyncio.sleep(self._hooks.delay_s)
            last = message.headers.get("CompletionState", "COMPLETE") == "COMPLETE"
            text = message.headers.get("DataType") == "UTF8"
            kind = "continuation" if not first else "text" if text else "binary"
            self._seen.frames.append((kind, message.payload, last))
            self._leg.send(message.payload, text=text, first=first, last=last)
            first = last
        self._seen.half_closed += 1

    async def _up(self) -> None:
        """The container's frames, one part each."""
        data_type = "BINARY"
        async for frame in self._leg.frames():
            if frame.opcode is Opcode.CLOSE:
                raise SessionOverError(_closed(frame))
            if frame.opcode is not Opcode.CONT:
                data_type = "UTF8" if frame.opcode is Opcode.TEXT else "BINARY"
            for piece, last in _pieces(frame, self._hooks.fragment_bytes):
                await self._send(piece, data_type, last)
        raise SessionOverError(_broken("the connection to the model was lost"))

    async def _send(self, data: bytes, data_type: str, last: bool) -> None:
        try:
            await self._hooks.before_part(self._sent)
        except FailingError as error:
            failure = exception("InternalStreamFailure", Message="internal failure")
            raise SessionOverError(failure) from error
        state = "COMPLETE" if last else "PARTIAL"
        part = event("PayloadPart", data, "application/octet-stream")
        part.headers.update(DataType=data_type, CompletionState=state)
        await self._stream.send(part.encode())
        self._sent += 1

    async def _watch(self) -> None:
        """Pings to the container, and the session's end in time."""
        loop = asyncio.get_running_loop()
        begun, pings = loop.time(), 0
        while (limit_s := self._hooks.session_s) is None or loop.time() < begun + limit_s:
            left_s = float("inf") if limit_s is None else begun + limit_s - loop.time()
            await asyncio.sleep(min(self._hooks.ping_s, left_s))
            if (pings if self._hooks.pongs_lost else self._leg.unanswered_pings) >= PINGS:
                raise SessionOverError(_broken("the model does not answer pings"))
            self._leg.ping()
            pings += 1
        raise SessionOverError(_broken("the session has reached its maximum duration"))


async def serve(stream: Stream, chain: Chain, container: str, hooks: Hooks, seen: Seen) -> None:
    """Answer one request; ``container`` is the WebSocket address of the model's server."""
    headers = stream.headers
    path = headers.get("x-amzn-sagemaker-model-invocation-path", PATH[1:])
    query = headers.get("x-amzn-sagemaker-model-query-string", "")
    try:
        leg = await Leg.open(f"{container}/{path}" + (f"?{query}" if query else ""))
    except ContainerError as error:
        members = {"OriginalStatusCode": error.status, "OriginalMessage": str(error)}
        refuse(stream, Reject(424, "ModelError", members))
        return
    await Session(stream, chain, leg, hooks, seen).run()


async def signed(stream: Stream, chain: Chain, seen: Seen) -> AsyncIterator[Message]:
    """The events in a request's signed messages; ends with the empty one or the request."""
    decoder = Decoder()
    async for data in stream.data():
        for message in decoder.feed(data):
            try:
                payload = chain.check(message)
            except BadSignatureError as error:
                raise SessionOverError(
                    exception("InternalStreamFailure", Message="signature")
                ) from error
            seen.chunks_checked += 1
            if not payload:
                return
            yield decode_one(payload)


def refuse(stream: Stream, reject: Reject) -> None:
    """Answer with an error before the stream begins."""
    body = json.dumps({"Message": reject.error, **reject.members}).encode()
    headers = {"x-amzn-errortype": reject.error, "content-type": "application/json"}
    stream.respond(reject.status, **headers, **reject.headers)
    stream.end(body)


def _pieces(frame: Frame, size: int | None) -> list[tuple[bytes, bool]]:
    data = bytes(frame.data)
    if size is None or len(data) <= size:
        return [(data, frame.fin)]
    cuts = range(0, len(data), size)
    return [(data[at : at + size], frame.fin and at == cuts[-1]) for at in cuts]


def _closed(frame: Frame) -> Message:
    close = Close.parse(bytes(frame.data))
    return exception("ModelStreamError", ErrorCode=str(close.code), Message=close.reason)


def _broken(message: str) -> Message:
    return exception("ModelStreamError", ErrorCode="StreamBroken", Message=message)
