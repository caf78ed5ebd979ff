"""One HTTP/2 connection of Amazon's CRT: ends without a hang, and without a fault in the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from awscrt.aio.http import AIOHttp2ClientStream
from awscrt.exceptions import AwsCrtError, from_code

CLOSE_TIMEOUT_S = 2.0


class Stream(AIOHttp2ClientStream):
    """A request and its answer.

    What is awaited here may be cancelled: the CRT's own futures are left alone, as it complains
    where it finds one cancelled. A stream that ends with an error ends every wait with it.
    """

    def __init__(
        self, connection: Any, request: Any, body: Any, heard: Callable[[], object]
    ) -> None:
        self._heard = heard  # first: the CRT's thread may call back at once
        try:
            super().__init__(connection, request, body)
        except AwsCrtError:  # the connection has just ended, but writing has begun
            if self.writer is not None:
                self.writer.add_done_callback(_looked_at)
            raise

    @property
    def writer(self) -> asyncio.Task[None] | None:
        """The task that writes the body, if there is one."""
        return getattr(self, "_writer", None)

    async def get_response_status_code(self) -> int:
        """Raises ``AwsCrtError`` where the stream ends before its answer has begun."""
        return int(await _kept(super().get_response_status_code()))

    async def get_next_response_chunk(self) -> bytes:
        """Empty at the end. Raises ``AwsCrtError`` where that is no good one."""
        chunk = bytes(await _kept(super().get_next_response_chunk()))
        if not chunk and not self._remote_completion_future.done():
            with suppress(asyncio.CancelledError):
                if (error := self._completion_future.exception()) is not None:
                    raise error
        return chunk

    def _on_response(self, status_code: int, name_value_pairs: Any) -> None:
        self._heard()
        super()._on_response(status_code, name_value_pairs)

    def _on_body(self, chunk: bytes) -> None:
        self._heard()
        super()._on_body(chunk)

    def _on_complete(self, error_code: int) -> None:
        super()._on_complete(error_code)
        error = from_code(error_code) if error_code else EOFError("no answer")
        for future in (self._response_status_future, self._response_headers_future):
            if not future.done():
                future.set_exception(error)

    async def _write_data(self, body: Any, end_stream: bool) -> None:
        """Once all is over, who still writes waits for nothing."""
        if not self._completion_future.done():
            await _kept(super()._write_data(body, end_stream))


class Connection:
    """What the SDK's transport asks of a connection, and when something came over it last.

    ``writers`` are the tasks that write the streams' bodies, while they do.
    """

    def __init__(self, connection: Any, writers: set[asyncio.Task[None]]) -> None:
        self._connection, self._writers = connection, writers
        self.heard_at = time.monotonic()

    @property
    def version(self) -> Any:
        """HTTP's."""
        return self._connection.version

    def is_open(self) -> bool:
        """As far as the CRT knows: one whose other end has vanished is open for long."""
        return bool(self._connection.is_open())

    def request(self, request: Any, request_body_generator: Any = None) -> Stream:
        """Begin a stream."""
        stream = Stream(self._connection, request, request_body_generator, self._heard)
        if (writer := stream.writer) is not None:
            self._writers.add(writer)
            writer.add_done_callback(self._written)
        return stream

    async def close(self) -> None:
        """End all streams; what is said to them afterwards is dropped. Takes a bounded time."""
        with suppress(AwsCrtError, TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await _kept(self._connection.close())

    def _heard(self) -> None:
        self.heard_at = time.monotonic()

    def _written(self, writer: asyncio.Task[None]) -> None:
        """It fails where the other side has ended the stream, of which the reader learns."""
        self._writers.discard(writer)
        _looked_at(writer)


def _looked_at(done: asyncio.Future[Any]) -> None:
    """Where nobody waits any more, its error is no fault."""
    if not done.cancelled():
        done.exception()


async def _kept(work: Any) -> Any:
    """What ``work`` gives; it goes on where nobody waits for it any more."""
    working = asyncio.ensure_future(work)
    working.add_done_callback(_looked_at)
    return await asyncio.shield(working)


async def outcome(future: Future[Any]) -> Any:
    """The result of a future of the CRT's, which is left alone even as the loop ends."""
    loop = asyncio.get_running_loop()
    come = loop.create_future()

    def wake() -> None:
        if not come.done():
            come.set_result(None)

    def tell(_: object) -> None:
        with suppress(RuntimeError):  # the loop is over
            loop.call_soon_threadsafe(wake)

    future.add_done_callback(tell)
    await come
    return future.result()
