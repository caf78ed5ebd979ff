"""A link over a WebSocket."""

from __future__ import annotations

import ipaddress
import ssl
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
)

from speech.engines.link import Connect, LinkEndedError
from speech.engines.remote.told import code_in
from speech.errors import EngineBusyError, EngineError, EngineRefusedError, UsageError
from speech.redact import without_password
from speech.wire.token import is_token

PATH = "/invocations-bidirectional-stream"
CONNECT_S = 5.0
PING_S = 5.0
"""Between the connection's own signs of life, which keep the way through routers open."""
CLOSE_S = 1.0
MAX_FRAMES = 16
"""Received and not read. Then the connection is read no further, and the server must wait."""
MAX_BYTES = 16 * 2**20
"""Of a frame: a container of version 0 sends a unit in one, 48 kB a second."""

_PASSING = (b"not_ready", b"draining")
"""Why our server refuses a connection that it, or the next one there, will soon take."""

_SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}


def websocket_url(url: str) -> str:
    """``host:port`` and ``http://`` made a WebSocket's address, with the protocol's path.

    Raises ``UsageError``.
    """
    parts = urlsplit(url if "://" in url else f"ws://{url}")
    scheme = _SCHEMES.get(parts.scheme)
    try:
        good = bool(scheme and parts.hostname and parts.port != 0)
    except ValueError:
        good = False
    if not good or not scheme:
        raise UsageError(
            f"{without_password(url)!r} is no address of a speech server; "
            "write it like ws://HOST:PORT or wss://HOST"
        )
    path = parts.path if parts.path.strip("/") else PATH
    return urlunsplit((scheme, parts.netloc, path, parts.query, ""))


def websocket(url: str, *, token: str | None = None, ca_file: Path | None = None) -> Connect:
    """Opens links to the server at ``url``, an address as ``websocket_url`` makes it.

    ``token`` is sent as a bearer's. ``ca_file`` holds the certificates that a ``wss`` server is
    checked with; None: the system's. Raises ``UsageError`` for a file that holds none, and for
    a token that no header carries.
    """
    headers = {"Authorization": f"Bearer {_checked(token.strip())}"} if token else {}
    tls = _tls(ca_file) if url.startswith("wss:") else None
    where = without_password(url)
    direct = _is_loopback(urlsplit(url).hostname or "")

    async def open_link() -> WebSocketLink:
        try:
            socket = await connect(
                url,
                additional_headers=headers,
                ssl=tls,
                proxy=None if direct else True,
                compression=None,
                open_timeout=CONNECT_S,
                ping_interval=PING_S,
                # Whoever reads slowly has not seen the pong either: ``Talk1`` asks by itself.
                ping_timeout=None,
                close_timeout=CLOSE_S,
                max_queue=MAX_FRAMES,
                max_size=MAX_BYTES,
                user_agent_header="earshot",
            )
        except InvalidStatus as error:
            raise _refusal(where, error) from error
        except ssl.SSLCertVerificationError as error:
            raise EngineRefusedError(
                f"the certificate of {where} is not trusted ({error.verify_message}); "
                "tts.server.ca_file names the file to check it with"
            ) from error
        except (InvalidURI, InvalidProxy) as error:
            # Its own message repeats the address, which may hold a password.
            raise EngineRefusedError(f"cannot connect to {where}: {error.msg}") from None
        except ImportError as error:  # a SOCKS proxy needs a package of its own
            raise EngineRefusedError(f"cannot connect to {where}: {error}") from error
        except (OSError, TimeoutError, InvalidHandshake) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise EngineError(
                f"no speech server at {where}: {reason}; is it running (earshot serve)?"
            ) from error
        return WebSocketLink(socket)

    return open_link


class WebSocketLink:
    """See ``Link``."""

    lifetime_s: float | None = None

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        """See ``Link``."""
        try:
            await self._socket.send(text)
        except ConnectionClosed as error:
            raise _ended(error) from error

    async def receive(self) -> str | bytes:
        """See ``Link``."""
        try:
            return await self._socket.recv()
        except ConnectionClosed as error:
            raise _ended(error) from error

    def lost(self) -> None:
        """See ``Link``: each has a connection of its own."""

    async def aclose(self) -> None:
        """See ``Link``."""
        with suppress(ConnectionClosed, OSError):
            await self._socket.close()


def _ended(error: ConnectionClosed) -> LinkEndedError:
    close = error.rcvd or error.sent
    if close is None:
        return LinkEndedError("the connection to the speech server broke")
    reason = f" {code_in(close.reason)}".rstrip()
    return LinkEndedError(
        f"the speech server's connection closed ({close.code}{reason})", close.code
    )


def _refusal(where: str, error: InvalidStatus) -> EngineError:
    status = error.response.status_code
    if status == 401:
        return EngineRefusedError(f"{where} wants a token that it knows: EARSHOT_TTS_SERVER_TOKEN")
    if status == 503 and any(why in (error.response.body or b"") for why in _PASSING):
        return EngineError(f"{where} is starting or stopping")
    if status in (429, 503):
        return EngineBusyError(f"{where} is busy", _seconds(error))
    said = f"{where} answered {status}"
    if status >= 500:
        return EngineError(f"{said}; it is no speech server, or not well")
    return EngineRefusedError(f"{said}; is this a speech server's address?")


def _seconds(error: InvalidStatus) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("Retry-After", "")))
    except ValueError:
        return None


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"tts.server.ca_file {ca_file}: {error}") from error


def _checked(token: str) -> str:
    """What the library says of a wrong header would repeat the token."""
    if not is_token(token):
        raise UsageError(
            "EARSHOT_TTS_SERVER_TOKEN: a token is letters, digits and signs of ASCII, no spaces"
        )
    return token


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
