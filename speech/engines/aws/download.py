"""The body of a blocking call, read without blocking."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Body:
    """What a call has opened: its pieces, and the response of urllib3 that they come from."""

    pieces: Iterator[bytes]
    raw: Any


class Download:
    """Pieces of a body, each fetched when it is asked for, so that a slow reader slows the sender.

    ``call`` and the pieces run in threads of ``threads``.
    """

    def __init__(self, call: Callable[[], Body], threads: Executor) -> None:
        self._call, self._threads = call, threads
        self._body: Body | None = None
        self._lock = threading.Lock()
        self._closed = False

    def piece(self) -> asyncio.Future[bytes | None]:
        """The next piece, None at the end; raises what boto3 does."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, self._next)
        future.add_done_callback(_looked_at)
        return future

    def close(self) -> None:
        """Fetch no more and end the connection, from any thread; wakes who waits for a piece."""
        with self._lock:
            self._closed, body = True, self._body
        if body is not None:
            _hang_up(body.raw)

    def _next(self) -> bytes | None:
        if self._closed:
            return None
        body = self._body or self._open()
        try:
            return next(body.pieces, None)
        except Exception:
            if self._closed:
                return None
            raise

    def _open(self) -> Body:
        body = self._call()
        with self._lock:
            self._body, closed = body, self._closed
        if closed:
            _hang_up(body.raw)
        return body


def _looked_at(future: asyncio.Future[bytes | None]) -> None:
    """Who has given up waiting asks for no error."""
    if not future.cancelled():
        future.exception()


def _hang_up(raw: Any) -> None:
    # A thread that waits in the socket is not woken by closing it, but by shutting it down.
    with suppress(ValueError, RuntimeError, OSError, AttributeError):
        raw.shutdown()
    with suppress(OSError):
        raw.close()
