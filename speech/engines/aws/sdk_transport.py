"""What carries the SDK's streams: one connection for all, replaced when it is dead."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from awscrt.aio.http import AIOHttpClientConnectionUnified
from awscrt.io import ClientTlsContext, TlsContextOptions
from smithy_http import Field
from smithy_http.aio.crt import AWSCRTHTTPClient, AWSCRTHTTPClientConfig

from speech.engines.aws.errors import seconds
from speech.engines.aws.sdk_connection import CLOSE_TIMEOUT_S, Connection, outcome

RETRY_AFTER, AMAZONS = "retry-after", "x-amz-retry-after"

CONNECT_S = 4.0
"""For TCP and TLS; a handshake that has lost its way is begun again. The CRT itself waits long
after a certificate that it does not trust."""

KEEP_ALIVE_S, PROBE_S, PROBES = 5, 2, 3
"""TCP asks an idle connection after 5 s whether the other end is there, and gives it up after
11; a laptop that was moved to another network does not wait for an answer from the old one."""


class Transport(AWSCRTHTTPClient):
    """HTTP/2, both ways at once; ``ca_file`` is trusted instead of the system's certificates.

    The SDK's default transport cannot do two-way calls.
    """

    def __init__(self, ca_file: Path | None) -> None:
        super().__init__(client_config=AWSCRTHTTPClientConfig(force_http_2=True))
        self._connecting: asyncio.Task[Connection] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.Task[None]] = set()
        self._socket_options.keep_alive = True
        self._socket_options.keep_alive_timeout_secs = KEEP_ALIVE_S
        self._socket_options.keep_alive_interval_secs = PROBE_S
        self._socket_options.keep_alive_max_probes = PROBES
        if ca_file is not None:
            options = TlsContextOptions()
            options.override_default_trust_store(ca_file.read_bytes())
            self._tls_ctx = ClientTlsContext(options)

    @property
    def connected(self) -> bool:
        """Whether there is a connection that was open before."""
        connection = self._connection
        return connection is not None and connection.is_open()

    def lost(self, since: float) -> bool:
        """What was said at ``since`` is not answered.

        Nothing at all has come after it: then the connection is closed, with what goes over it,
        or no longer waited for, and the next stream opens another. Returns whether it was so.
        """
        connection = self._connection
        if connection is not None and connection.heard_at >= since:
            return False
        self._drop()
        return True

    async def close(self) -> None:
        """End the connection once what was said last is written; takes a bounded time."""
        self._closed = True
        if self._writers:
            await asyncio.wait(self._writers, timeout=CLOSE_TIMEOUT_S)
        self._drop()
        await asyncio.sleep(0)
        if self._closing:
            await asyncio.wait(self._closing)
        for writer in self._writers:  # of streams that nobody has ended
            writer.cancel()

    @property
    def _connection(self) -> Connection | None:
        """The one that is open, or was."""
        connecting = self._connecting
        if connecting is None or not connecting.done() or connecting.exception() is not None:
            return None
        return connecting.result()

    async def _get_connection(self, url: Any) -> Connection:
        """Opened by whom first asks, for all; it goes on where that one gives up."""
        connecting = self._connecting
        if connecting is None or (connecting.done() and not self.connected):
            connecting = self._connecting = asyncio.create_task(self._create_connection(url))
        try:
            async with asyncio.timeout(CONNECT_S):
                return await asyncio.shield(connecting)
        except TimeoutError:
            if self._connecting is connecting and not connecting.done():
                self._drop()
            raise

    async def _build_new_connection(self, url: Any) -> Connection:
        """As the SDK does, but without a fault in the log where the loop ends meanwhile."""
        tls = self._tls_ctx.new_connection_options()
        tls.set_server_name(url.host)
        tls.set_alpn_list(["h2"])
        opening = AIOHttpClientConnectionUnified._generic_new(
            url.host,
            url.port or self._HTTPS_PORT,
            self._client_bootstrap,
            self._socket_options,
            tls,
            asyncio_connection=True,
        )
        return Connection(await outcome(opening), self._writers)

    async def _await_response(self, stream: Any) -> Any:
        """The SDK heeds Amazon's own header, in milliseconds, and not HTTP's."""
        response = await super()._await_response(stream)
        fields = response.fields
        if RETRY_AFTER in fields and AMAZONS not in fields:
            wait_s = seconds(fields[RETRY_AFTER].as_string())
            if wait_s is not None:
                fields.set_field(Field(name=AMAZONS, values=[str(round(1000 * wait_s))]))
        return response

    def _drop(self) -> None:
        if (connecting := self._connecting) is not None:
            self._connecting = None
            connecting.add_done_callback(self._close)

    def _close(self, connecting: asyncio.Task[Connection]) -> None:
        if connecting.cancelled() or connecting.exception() is not None:
            return
        closing = asyncio.ensure_future(connecting.result().close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def __deepcopy__(self, memo: Any) -> Transport:
        return self  # a copy would trust otherwise and open a connection of its own
