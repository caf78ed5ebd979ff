"""An HTTP/2 server over TLS, as far as two-way streams need one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError, StreamClosedError

Handler = Callable[["Stream"], Awaitable[None]]


class GoneError(Exception):
    """The client has reset the stream or closed the connection."""


class Stream:
    """One request and its answer. ``headers`` holds the pseudo headers too."""

    def __init__(self, connection: Connection, number: int, headers: dict[str, str]) -> None:
        self._connection, self._number, self.headers = connection, number, headers
        self.incoming: asyncio.Queue[bytes] = asyncio.Queue()

    async def data(self) -> AsyncIterator[bytes]:
        """What the client sends, cut anywhere."""
        while data := await self.incoming.get():
            yield data
            self._connection.consumed(self._number, len(data))

    def respond(self, status: int, **headers: str) -> None:
        """Send the answer's head; underscores in names stand for hyphens."""
        fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
        with self._connection.writing() as h2:
            h2.send_headers(self._number, [(":status", str(status)), *fields])

    async def send(self, data: bytes) -> None:
        """Send a piece of the body as the client's windows allow. Raises ``GoneError``."""
        while data:
            room = await self._connection.room(self._number)
            with self._connection.writing() as h2:
                h2.send_data(self._number, data[:room])
            data = data[room:]

    def end(self, data: bytes = b"") -> None:
        """End the body, with a last piece that is small."""
        with self._connection.writing() as h2:
            h2.send_data(self._number, data, end_stream=True)

    def reset(self) -> None:
        """Break the stream off, as a service that dies does."""
        with self._connection.writing() as h2:
            h2.reset_stream(self._number, ErrorCodes.INTERNAL_ERROR)


class Connection:
    """One client's connection. One that is ``dead`` is there, but reads and writes nothing."""

    dead = False

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler
    ) -> None:
        self._reader, self._writer, self._handler = reader, writer, handler
        self._h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self._streams: dict[int, tuple[Stream, asyncio.Task[None]]] = {}
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Serve until the client goes."""
        with self.writing() as h2:
            h2.initiate_connection()
        try:
            while data := await self._reader.read(65_536):
                if self.dead:
                    await asyncio.Event().wait()
                with self.writing() as h2:
                    for event in h2.receive_data(data):
                        self._take(event)
        except (OSError, ProtocolError):
            pass
        finally:
            tasks = [task for _, task in self._streams.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._writer.close()

    def writing(self) -> Writing:
        """The state machine; what it wants to be sent is sent afterwards."""
        return Writing(self, self._h2, self._writer)

    def consumed(self, number: int, size: int) -> None:
        """So many bytes of a stream have been read, and as many may follow."""
        with self.writing() as h2:
            h2.acknowledge_received_data(size, number)

    async def room(self, number: int) -> int:
        """How many bytes may be sent, at least one."""
        while True:
            try:
                window = self._h2.local_flow_control_window(number)
            except (StreamClosedError, KeyError) as error:
                raise GoneError from error
            if window > 0:
                return min(window, self._h2.max_outbound_frame_size)
            self._news.clear()
            await self._news.wait()

    def _take(self, event: Event) -> None:
        if isinstance(event, RequestReceived):
            self._begin(event)
        elif isinstance(event, DataReceived):
            self._streams[event.stream_id][0].incoming.put_nowait(event.data)
        elif isinstance(event, StreamEnded):
            self._streams[event.stream_id][0].incoming.put_nowait(b"")
        elif isinstance(event, StreamReset):
            self._streams[event.stream_id][1].cancel()
        if isinstance(event, (WindowUpdated, StreamReset, ConnectionTerminated)):
            self._news.set()

    def _begin(self, event: RequestReceived) -> None:
        stream = Stream(self, event.stream_id, dict(event.headers))
        self._streams[event.stream_id] = (stream, asyncio.create_task(self._serve(stream)))

    async def _serve(self, stream: Stream) -> None:
        # A client that has gone is nobody left to be told.
        with suppress(GoneError, StreamClosedError, ProtocolError):
            await self._handler(stream)


class Writing:
    """Sends what the state machine has to say, at the end of a ``with``."""

    def __init__(
        self, connection: Connection, h2: H2Connection, writer: asyncio.StreamWriter
    ) -> None:
        self._connection, self._h2, self._writer = connection, h2, writer

    def __enter__(self) -> H2Connection:
        return self._h2

    def __exit__(self, *_: object) -> None:
        data = self._h2.data_to_send()
        if data and not self._connection.dead and not self._writer.is_closing():
            self._writer.write(data)
