"""Amazon's SDK for streams: who signs, what carries, what went wrong."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aws_sdk_signers import AWSCredentialIdentity
from awscrt.exceptions import AwsCrtError
from awscrt.io import ClientTlsContext, TlsContextOptions
from smithy_aws_event_stream.exceptions import EventError
from smithy_core.aio.interfaces.identity import IdentityResolver
from smithy_core.exceptions import CallError, SmithyError
from smithy_http.aio.crt import AWSCRTHTTPClient

from speech.engines.aws.access import Access
from speech.engines.aws.errors import RefusedError, ServiceError, ServiceTimeoutError, failure
from speech.errors import EngineError

_FRESH = timedelta(minutes=1)
"""How long the SDK may keep credentials before it asks again whether they must be renewed."""

CLOSE_TIMEOUT_S = 2.0

FAILURES = (SmithyError, EventError, AwsCrtError, OSError)
"""What the SDK raises."""


class Credentials(IdentityResolver[Any, Any]):
    """botocore's chain as the SDK wants it, so that every source and renewal works."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def get_identity(self, *, properties: Any) -> AWSCredentialIdentity:
        """Asked for each request and each message that is signed."""
        found = await self._access.credentials()
        return AWSCredentialIdentity(
            access_key_id=found.access_key,
            secret_access_key=found.secret_key,
            session_token=found.token,
            expiration=datetime.now(UTC) + _FRESH,
        )

    def __deepcopy__(self, memo: Any) -> Credentials:
        return self


class Transport(AWSCRTHTTPClient):
    """HTTP/2, both ways at once; ``ca_file`` is trusted instead of the system's certificates.

    The SDK's default transport cannot do two-way calls.
    """

    def __init__(self, ca_file: Path | None) -> None:
        super().__init__()
        self._writers: set[asyncio.Task[None]] = set()
        self._connecting = asyncio.Lock()
        if ca_file is not None:
            options = TlsContextOptions()
            options.override_default_trust_store(ca_file.read_bytes())
            self._tls_ctx = ClientTlsContext(options)

    async def close(self) -> None:
        """End the connections once what was said last is written; takes a bounded time."""
        if self._writers:
            await asyncio.wait(self._writers, timeout=CLOSE_TIMEOUT_S)
        await super().close()
        for writer in self._writers:
            writer.cancel()

    async def _get_connection(self, url: Any) -> Any:
        """One for all: two that are opened at once would leave the first one behind, unclosed."""
        async with self._connecting:
            return await super()._get_connection(url)

    async def _await_response(self, stream: Any) -> Any:
        self._tame(stream)
        return await super()._await_response(stream)

    def _tame(self, stream: Any) -> None:
        """Make a stream of the CRT's end without a hang and without a fault in the log.

        Its writing task, which nobody asks for its result, fails when the other side has ended
        the stream, of which the reader learns anyway; cancelled, it still waits to write the
        end, for ever where the connection is gone. A read that is cancelled makes the CRT
        complain when it has something to give.
        """
        write, read = stream._write_data, stream.get_next_response_chunk

        async def write_data(body: Any, end_stream: bool) -> None:
            if not self._closed:
                await write(body, end_stream)

        async def next_chunk() -> bytes:
            chunk: bytes = await asyncio.shield(asyncio.ensure_future(read()))
            return chunk

        stream._write_data, stream.get_next_response_chunk = write_data, next_chunk
        if (writer := getattr(stream, "_writer", None)) is not None:
            self._writers.add(writer)
            writer.add_done_callback(self._written)

    def _written(self, writer: asyncio.Task[None]) -> None:
        self._writers.discard(writer)
        if not writer.cancelled():
            writer.exception()

    def __deepcopy__(self, memo: Any) -> Transport:
        return self  # a copy would trust otherwise and open a connection of its own


async def opened(call: Coroutine[Any, Any, Any], timeout_s: float) -> tuple[Any, Any]:
    """A two-way stream once the service has answered, and what it sends.

    ``call`` starts it. Where it fails, takes too long or is cancelled, the stream is ended.
    """
    starting = asyncio.ensure_future(call)
    try:
        async with asyncio.timeout(timeout_s):
            # What a cancelled start has begun could not be ended.
            stream = await asyncio.shield(starting)
            _, events = await stream.await_output()
    except BaseException:
        starting.add_done_callback(_end_started)
        raise
    return stream, events


_ending: set[asyncio.Task[None]] = set()


def _end_started(starting: asyncio.Future[Any]) -> None:
    if starting.cancelled() or starting.exception() is not None:
        return
    task = asyncio.ensure_future(close_input(starting.result()))
    _ending.add(task)
    task.add_done_callback(_ending.discard)


async def close_client(client: Any) -> None:
    """End a client of the SDK and its ``Transport``; takes a bounded time."""
    with suppress(*FAILURES, TimeoutError):
        async with asyncio.timeout(2 * CLOSE_TIMEOUT_S):  # the transport takes one of them
            await client.close()


async def close_input(stream: Any) -> None:
    """Say that nothing more will be sent, which ends the stream; takes a bounded time."""
    with suppress(*FAILURES, TimeoutError, EngineError):
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await stream.input_stream.close()


async def close_events(events: Any) -> None:
    """Let go of what is still to come; nobody may be receiving. Takes a bounded time."""
    with suppress(*FAILURES, TimeoutError):
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await events.close()


def understood(what: str, error: BaseException) -> EngineError:
    """The SDK's exception as one of ours."""
    if isinstance(error, EngineError):
        return error
    if isinstance(error, TimeoutError):
        return ServiceTimeoutError(f"{what}: no answer in time")
    if not isinstance(error, CallError):
        cause = error.__cause__ or error
        if isinstance(cause, EngineError):
            return cause
        return ServiceError(f"{what}: {' '.join(str(cause).split()) or type(cause).__name__}")
    status = error.response_metadata.http_status_code
    if status in (401, 403):
        return RefusedError(f"{what}: Amazon refuses these credentials ({status})", status)
    original = getattr(error, "original_status_code", None)
    detail = getattr(error, "original_message", None) or error.message
    kind = type(error).__name__
    if status is None and original is None and error.is_timeout_error:
        return ServiceTimeoutError(f"{what}: no answer in time")
    return failure(
        what,
        status,
        kind,
        detail,
        original=original,
        retry_after_s=error.retry_after if math.isfinite(error.retry_after or 0.0) else None,
    )
