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
from tests.aws.hooks import Hooks, Reject, Seen
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
        self._connections: dict[Connection, asyncio.Task[None]] = {}

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
        tasks = list(self._connections.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._stack.aclose()
        self._folder.cleanup()

    def die(self) -> None:
        """Of every connection there is now, the other end vanishes; later ones live."""
        for connection in self._connections:
            connection.dead = True

    def reach(self, *, plain: bool = False) -> dict[str, Any]:
        """How an engine's constructor is told of this emulator."""
        return {
            "region": "eu-west-1",
            "profile": PROFILE,
            "endpoint_url": self.plain_url if plain else self.url,
            "ca_file": None if plain else self.ca_file,
            "credentials_file": self.credentials_file,
        }

    def flags(self) -> list[str]:
        """How ``earshot`` is told; with ``environ``."""
        keys = {
            "engine": "sagemaker",
            "sagemaker.endpoint": ENDPOINT,
            "sagemaker.region": "eu-west-1",
            "sagemaker.profile": PROFILE,
            "sagemaker.endpoint_url": self.url,
            "sagemaker.ca_file": self.ca_file,
        }
        return [word for key, value in keys.items() for word in ("--set", f"tts.{key}={value}")]

    @property
    def environ(self) -> dict[str, str]:
        """Where the credentials are that the emulator knows."""
        return {"AWS_SHARED_CREDENTIALS_FILE": str(self.credentials_file)}

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connection = Connection(reader, writer, self._request)
        connection.dead = self.hooks.dead
        self.seen.connections += 1
        self._connections[connection] = task
        try:
            await connection.run()
        except asyncio.CancelledError:  # by __aexit__; asyncio would log it as a fault
            pass
        finally:
            del self._connections[connection]

    async def _request(self, stream: Stream) -> None:
        headers = stream.headers
        self.seen.requests.append(headers)
        await self.hooks.before_answer()
        if self.hooks.rejects:
            bidirectional.refuse(stream, self.hooks.rejects.popleft())
            return
        path = headers[":path"].rstrip("?")
        try:
            chain = check_request("POST", path, headers, self.secrets)
        except (BadSignatureError, KeyError, ValueError):
            bidirectional.refuse(stream, Reject(403, "InvalidSignatureException"))
            return
        if path == polly.PATH:
            await polly.PollyStream(stream, chain, self.hooks, self.seen).run()
        elif re.fullmatch(rf"/endpoints/{ENDPOINT}{bidirectional.PATH}", path):
            address = f"ws://{self.container}"
            await bidirectional.serve(stream, chain, address, self.hooks, self.seen)
        else:
            bidirectional.refuse(stream, Reject(400, "InputValidationError"))
