"""SageMaker's connection to the container: a WebSocket seen frame by frame."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri


class ContainerError(Exception):
    """The container does not take the connection; ``status`` is what it answered."""

    def __init__(self, message: str, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


class Leg:
    """One session's connection; frames are neither merged nor split."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: ClientProtocol
    ) -> None:
        self._reader, self._writer, self._protocol = reader, writer, protocol
        self.unanswered_pings = 0

    @classmethod
    async def open(cls, url: str) -> Leg:
        """Connect. Raises ``ContainerError``."""
        place = urlsplit(url)
        protocol = ClientProtocol(parse_uri(url), max_size=None)
        try:
            reader, writer = await asyncio.open_connection(place.hostname, place.port)
        except OSError as error:
            raise ContainerError(str(error)) from error
        leg = cls(reader, writer, protocol)
        protocol.send_request(protocol.connect())
        leg._flush()
        while protocol.state is State.CONNECTING and (data := await reader.read(65_536)):
            protocol.receive_data(data)
        if protocol.state is not State.OPEN:
            writer.close()
            raise _refusal(protocol.handshake_exc)
        return leg

    def send(self, data: bytes, *, text: bool, first: bool, last: bool) -> None:
        """Send one frame: a whole message, or a part of one."""
        if self._protocol.state is not State.OPEN:
            return
        if not first:
            self._protocol.send_continuation(data, last)
        elif text:
            self._protocol.send_text(data, last)
        else:
            self._protocol.send_binary(data, last)
        self._flush()

    def ping(self) -> None:
        """Ask for a sign of life."""
        if self._protocol.state is State.OPEN:
            self.unanswered_pings += 1
            self._protocol.send_ping(b"sidecar")
            self._flush()

    async def frames(self) -> AsyncIterator[Frame]:
        """Data and close frames as they come; ends with the connection."""
        for event in self._protocol.events_received():
            if isinstance(event, Frame) and (frame := self._seen(event)):
                yield frame
        while data := await self._read():
            self._protocol.receive_data(data)
            self._flush()
            for event in self._protocol.events_received():
                if isinstance(event, Frame) and (frame := self._seen(event)):
                    yield frame

    def close(self, code: int = 1000) -> None:
        """Say goodbye to the container."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(code)
            self._flush()
        self._writer.close()

    async def _read(self) -> bytes:
        try:
            return await self._reader.read(65_536)
        except (OSError, WebSocketException):
            return b""

    def _seen(self, frame: Frame) -> Frame | None:
        if frame.opcode is Opcode.PONG:
            self.unanswered_pings = 0
        return None if frame.opcode in (Opcode.PING, Opcode.PONG) else frame

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data and not self._writer.is_closing():
                self._writer.write(data)


def _refusal(error: Exception | None) -> ContainerError:
    if not isinstance(error, InvalidStatus):
        return ContainerError(str(error or "closed"))
    said = bytes(error.response.body or b"").decode()
    return ContainerError(said or str(error), error.response.status_code)
