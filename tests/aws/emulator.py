"""SageMaker's runtime and Polly on loopback, for the unmodified SDK."""

from __future__ import annotations

import asyncio
import re
import ssl
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import trustme

from tests.aws import bidirectional, polly
from tests.aws.container import served
from tests.aws.hooks import Hooks, Seen
from tests.aws.http2 import Connection, Stream
from tests.aws.plain import application
from tests.aws.signing import BadSignatureError, check_request

KEY_ID, SECRET = "AKIDOFTHEEMULATOR", "no secret at all"
ENDPOINT = "voice"
PROFILE = "emulated"
_CREDENTIALS = f"[{PROFILE}]\naws_access_key_id={KEY_ID}\naws_secret_access_key={SECRET}\n"


class Emulator:
    """Serves while it is entered.

    ``container`` is the address of the model's server without its scheme; ``url`` is where the
    streams are (HTTP/2, TLS) and ``plain_url`` where the other calls are.
    """

    def __init__(self, container: str = "127.0.0.1:9", hooks: Hooks | None = None) -> None:
        self.container, self.hooks, self.seen = container, hooks or Hooks(), Seen()
        self.secrets = {KEY_ID: SECRET}
        self._folder = tempfile.TemporaryDirectory()
        self.ca_file = Path(self._folder.name) / "ca.pem"
        self.credentials_file = Path(self._folder.name) / "credentials"
        self._stack = AsyncExitStack()
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(self.ca_file))
        self.credentials_file.write_text(_CREDENTIALS)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.set_alpn_protocols(["h2"])
        authority.issue_cert("localhost").configure_cert(context)
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, ssl=context, ssl_handshake_timeout=2
        )
        self.url = f"https://localhost:{self._server.sockets[0].getsockname()[1]}"
        app = application(f"http://{self.container}", self.secrets, self.hooks, self.seen)
        address = await self._stack.enter_async_context(served(app))
        self.plain_url = f"http://{address}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._stack.aclose()
        self._folder.cleanup()

    def reach(self, *, plain: bool = False) -> dict[str, Any]:
        """How an engine's constructor is told of this emulator."""
        return {
            "region": "eu-west-1",
            "profile": PROFILE,
            "endpoint_url": self.plain_url if plain else self.url,
            "ca_file": None if plain else self.ca_file,
            "credentials_file": self.credentials_file,
        }

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await Connection(reader, writer, self._request).run()
        except asyncio.CancelledError:  # by __aexit__; asyncio would log it as a fault
            pass
        finally:
            self._connections.discard(task)

    async def _request(self, stream: Stream) -> None:
        headers = stream.headers
        self.seen.requests.append(headers)
        await self.hooks.before_answer()
        if self.hooks.rejects:
            reject = self.hooks.rejects.popleft()
            bidirectional.refuse(stream, reject.status, reject.error, reject.members)
            return
        path = headers[":path"].rstrip("?")
        try:
            chain = check_request("POST", path, headers, self.secrets)
        except (BadSignatureError, KeyError, ValueError):
            bidirectional.refuse(stream, 403, "InvalidSignatureException", {})
            return
        if path == polly.PATH:
            await polly.PollyStream(stream, chain, self.hooks, self.seen).run()
        elif re.fullmatch(rf"/endpoints/{ENDPOINT}{bidirectional.PATH}", path):
            address = f"ws://{self.container}"
            await bidirectional.serve(stream, chain, address, self.hooks, self.seen)
        else:
            bidirectional.refuse(stream, 400, "InputValidationError", {})
