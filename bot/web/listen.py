"""Listening: one bound socket, one ASGI app served on it, an orderly stop."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator

import uvicorn
from starlette.types import ASGIApp

from server.listen import AbortableSocket, QuietUvicorn
from speech.errors import EarshotError, UsageError

MAX_MESSAGE_BYTES = 64 * 1024
"""Largest WebSocket message taken; a carrier's 100 ms of 16-bit audio is 2 kB of base64."""

SHUTDOWN_S = 1
"""What open connections get to close before the server drops them."""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
"""What a browser on this machine may call it in ``Host``."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``; a name we do not know is public."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(host: str, port: int, key: str) -> socket.socket:
    """A listening socket on ``host``; port 0 takes a free one.

    ``key`` is the configuration section (``web``) that error messages point to. Raises
    ``UsageError`` for a host this machine does not have, ``EarshotError`` for a busy port.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError):
        raise UsageError(f"{key}.host: {host!r} is no address of this machine.") from None
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise EarshotError(
            f"Cannot listen on {host} port {port} ({error.strerror or error}): stop the other "
            f"program, or choose another port with --set {key}.port=N (0 takes a free one)."
        ) from None
    sock.setblocking(False)
    return sock


def url_of(sock: socket.socket, scheme: str = "http") -> str:
    """The address of a bound socket as a URL, without a trailing slash."""
    host, port = sock.getsockname()[:2]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


@contextlib.asynccontextmanager
async def serving(app: ASGIApp, sock: socket.socket) -> AsyncIterator[asyncio.Task[None]]:
    """Serve ``app`` on ``sock`` for the length of the block, then close every connection.

    What is still being answered gets ``SHUTDOWN_S``, and no time where the block was left by
    an error or cancelled.
    Yields the serving task, which ends early only when the server fails. Messages over
    ``MAX_MESSAGE_BYTES`` close their WebSocket with 1009. Requests are not logged: their
    paths carry tokens.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        ws=AbortableSocket,
        ws_max_size=MAX_MESSAGE_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    server = QuietUvicorn(config)
    task = asyncio.create_task(server.serve(sockets=[sock]), name="http-server")
    try:
        yield task
    except BaseException:
        config.timeout_graceful_shutdown = 0
        raise
    finally:
        server.should_exit = True
        await asyncio.wait({task})
        sock.close()


async def until_stopped(stop: asyncio.Event, server: asyncio.Task[None]) -> bool:
    """Wait for ``stop``; False when the server ended before it (see ``server_failure``)."""
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({stopping, server}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
    return stop.is_set()


def server_failure() -> EarshotError:
    """What to raise for a server that ended by itself, outside any task group."""
    return EarshotError("The server stopped by itself; run again with --debug to see why.")
