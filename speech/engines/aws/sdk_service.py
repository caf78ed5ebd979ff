"""One of Amazon's services that streams both ways, by its SDK."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from speech.engines.aws.access import Access
from speech.engines.aws.sdk_common import (
    FAILURES,
    Credentials,
    close_input,
    sign_alike,
    understood,
)
from speech.engines.aws.sdk_connection import CLOSE_TIMEOUT_S
from speech.engines.aws.sdk_transport import Transport
from speech.errors import EngineError

ANSWER_S = 2.0
"""A stream is answered within a fraction of it. A connection that was open before, and says
nothing for so long, is taken for dead: its network is gone, or its machine has slept."""

Start = Callable[[Any], Coroutine[Any, Any, Any]]
"""Begins a stream with the client."""


class Service:
    """A client of the SDK, made when it is first needed; its streams share one connection.

    ``client`` and ``config`` are the SDK's classes, ``address`` is where the service is unless
    the user names another, with ``{region}`` in it; None: where the SDK thinks it is.
    ``what`` is how errors name it.
    """

    def __init__(
        self,
        what: str,
        client: Any,
        config: Any,
        access: Access,
        *,
        address: str | None = None,
        connect_timeout_s: float,
    ) -> None:
        self.what, self.connect_timeout_s = what, connect_timeout_s
        self._kinds, self._access, self._address = (client, config), access, address
        self._client: Any = None
        self._transport: Transport | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Find the credentials and the region. Raises ``UsageError``, ``EngineRefusedError``."""
        await self._ready()

    async def open(self, start: Start) -> tuple[Any, Any]:
        """A stream that has been answered, and what it receives.

        One attempt, of at most ``connect_timeout_s``, in which a connection that turns out to
        be dead is replaced. Raises ``EngineError``.
        """
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self.connect_timeout_s):
                transport = await self._ready()
                return await self._opened(transport, start)
        except TimeoutError as error:
            self.lost(begun)
            raise understood(self.what, error) from error
        except (*FAILURES, EngineError) as error:
            raise understood(self.what, error) from error

    def lost(self, since: float) -> None:
        """What was said then (``time.monotonic``) has not been answered: see ``Transport``."""
        if self._transport is not None:
            self._transport.lost(since)

    async def aclose(self) -> None:
        """End the connection; takes a bounded time."""
        if self._client is not None:
            with suppress(*FAILURES, TimeoutError):
                async with asyncio.timeout(3 * CLOSE_TIMEOUT_S):
                    await self._client.close()
        if self._transport is not None:  # the client forgets one that it has not used
            await self._transport.close()

    async def _opened(self, transport: Transport, start: Start) -> tuple[Any, Any]:
        was_open = transport.connected
        opening = _Opening(start(self._client))
        while was_open and not await opening.done_within(ANSWER_S):
            if transport.lost(time.monotonic() - ANSWER_S):
                opening.give_up()
                opening = _Opening(start(self._client))
                break
        return await opening.result()

    async def _ready(self) -> Transport:
        async with self._starting:
            # Asked for each time: the SDK waits for ever where there are none.
            await self._access.credentials()
            if self._transport is None:
                region = self._access.known_region()
                address = self._address and self._address.format(region=region)
                transport = Transport(self._access.trusted())
                client, config = self._kinds
                self._client = client(
                    config=await config.resolve(
                        endpoint_uri=self._access.endpoint_url or address,
                        region=region,
                        aws_credentials_identity_resolver=Credentials(self._access),
                        transport=transport,
                        max_attempts=1,  # asked again by us, who know what was heard
                    )
                )
                self._transport = transport
            return self._transport


class _Opening:
    """A stream that has begun and is to be answered; ended where nobody takes it."""

    def __init__(self, start: Coroutine[Any, Any, Any]) -> None:
        self._starting = asyncio.ensure_future(start)
        self._answering = asyncio.ensure_future(self._answered())

    async def done_within(self, timeout_s: float) -> bool:
        """Whether it has been answered, or has failed."""
        try:
            done, _ = await asyncio.wait([self._answering], timeout=timeout_s)
        except asyncio.CancelledError:
            self.give_up()
            raise
        return bool(done)

    async def result(self) -> tuple[Any, Any]:
        """The stream and what it receives. Raises what the SDK does."""
        try:
            return await asyncio.shield(self._answering)
        except BaseException:
            self.give_up()
            raise

    def give_up(self) -> None:
        """Wait no longer; what has begun is ended in the background."""
        self._answering.cancel()
        self._starting.add_done_callback(_end)

    async def _answered(self) -> tuple[Any, Any]:
        # What a cancelled start has begun could not be ended.
        stream = await asyncio.shield(self._starting)
        await sign_alike(stream)
        _, events = await stream.await_output()
        return stream, events


_ending: set[asyncio.Task[None]] = set()


def _end(starting: asyncio.Future[Any]) -> None:
    if starting.cancelled() or starting.exception() is not None:
        return
    task = asyncio.ensure_future(close_input(starting.result()))
    _ending.add(task)
    task.add_done_callback(_ending.discard)
