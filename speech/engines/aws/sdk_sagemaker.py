"""A link to a container through SageMaker's bidirectional stream."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from aws_sdk_sagemaker_runtime_http2.client import AsyncSageMakerRuntimeHTTP2Client
from aws_sdk_sagemaker_runtime_http2.config import AsyncSageMakerRuntimeHTTP2Config
from aws_sdk_sagemaker_runtime_http2.models import (
    InternalStreamFailure,
    InvokeEndpointWithBidirectionalStreamInput,
    ModelStreamError,
    RequestPayloadPart,
    RequestStreamEventPayloadPart,
    ResponseStreamEventPayloadPart,
)

from speech.engines.aws.access import Access
from speech.engines.aws.parts import PartJoiner
from speech.engines.aws.retry import with_retries
from speech.engines.aws.sdk_common import FAILURES, close_events, close_input
from speech.engines.aws.sdk_service import Service
from speech.engines.link import Link, LinkEndedError

ADDRESS = "https://runtime.sagemaker.{region}.amazonaws.com:8443"
"""Where the streams are; the SDK's own address for the service lacks the port."""
LIFETIME_S = 1_800.0
"""SageMaker ends a stream after 30 minutes (a third party's account; Amazon names no figure)."""
SEND_TIMEOUT_S = 10.0


class SagemakerLinks:
    """Opens links to one endpoint; they share a connection."""

    def __init__(
        self, endpoint: str, access: Access, *, variant: str | None, connect_timeout_s: float
    ) -> None:
        self._service = Service(
            f"SageMaker's endpoint {endpoint}",
            AsyncSageMakerRuntimeHTTP2Client,
            AsyncSageMakerRuntimeHTTP2Config,
            access,
            address=ADDRESS,
            connect_timeout_s=connect_timeout_s,
        )
        self._input = InvokeEndpointWithBidirectionalStreamInput(
            endpoint_name=endpoint, target_variant=variant
        )
        self._links: set[SagemakerLink] = set()

    async def connect(self) -> Link:
        """A link; see ``speech.engines.link.Connect``. Asks again after throttling and 5xx."""
        return await with_retries(self._connect, within_s=self._service.connect_timeout_s)

    async def aclose(self) -> None:
        """End every link and the connection."""
        await asyncio.gather(*(link.aclose() for link in list(self._links)))
        await self._service.aclose()

    async def _connect(self) -> Link:
        stream, events = await self._service.open(
            lambda client: client.invoke_endpoint_with_bidirectional_stream(self._input)
        )
        link = SagemakerLink(stream, events, self._service, self._links.discard)
        self._links.add(link)
        return link


class SagemakerLink:
    """See ``Link``. What is said goes as UTF8 parts: one text frame each."""

    lifetime_s: float | None = LIFETIME_S

    def __init__(
        self,
        stream: Any,
        events: Any,
        service: Service,
        on_close: Callable[[SagemakerLink], object],
    ) -> None:
        self._stream, self._events = stream, events
        self._service, self._what = service, service.what
        self._on_close = on_close
        self._last = time.monotonic()
        self._joiner = PartJoiner()
        self._receiving: asyncio.Task[str | bytes] | None = None
        self._over: LinkEndedError | None = None

    async def send(self, text: str) -> None:
        """See ``Link``."""
        if self._over is not None:
            raise self._over
        self._last = time.monotonic()
        part = RequestPayloadPart(bytes_=text.encode(), data_type="UTF8")
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._stream.input_stream.send(RequestStreamEventPayloadPart(value=part))
        except TimeoutError as error:
            self.lost()
            raise self._ended(f"{self._what} takes nothing any more") from error
        except FAILURES as error:
            raise self._ended(f"{self._what} takes nothing any more") from error

    async def receive(self) -> str | bytes:
        """See ``Link``."""
        if self._receiving is None:
            if self._over is not None:
                raise self._over
            self._receiving = asyncio.create_task(self._frame())
        receiving = self._receiving
        await asyncio.wait([receiving])
        self._receiving = None
        if receiving.cancelled():
            raise self._over or self._ended(f"{self._what} was closed")
        return receiving.result()

    def lost(self) -> None:
        """See ``Link``. A dead connection takes all its other links with it."""
        self._service.lost(self._last)

    async def aclose(self) -> None:
        """See ``Link``. Half-closing closes the container's socket, and so stops its work."""
        self._on_close(self)
        self._ended(f"{self._what} was closed")
        await close_input(self._stream)
        if self._receiving is not None:
            self._receiving.cancel()
            await asyncio.gather(self._receiving, return_exceptions=True)
        await close_events(self._events)

    async def _frame(self) -> str | bytes:
        while True:
            part = await self._part()
            is_last = part.completion_state != "PARTIAL"
            try:
                frame = self._joiner.take(part.bytes_ or b"", part.data_type, is_last=is_last)
            except ValueError as error:
                raise self._ended(f"{self._what} sends {error}") from error
            if frame is not None:
                return frame

    async def _part(self) -> Any:
        try:
            while True:
                event = await self._events.receive()
                self._last = time.monotonic()
                if event is None:
                    raise self._ended(f"{self._what} ended the stream")
                if isinstance(event, ResponseStreamEventPayloadPart):
                    return event.value
        except ModelStreamError as error:
            raise self._closed(error.error_code or "", error.message) from error
        except InternalStreamFailure as error:
            raise self._ended(f"{self._what}: SageMaker failed ({error.message})") from error
        except FAILURES as error:
            raise self._ended(f"{self._what} was cut off") from error

    def _closed(self, code: str, reason: str) -> LinkEndedError:
        """A close frame of the container comes as an error, also where all is well."""
        detail = f": {reason}" if reason else ""
        if not code.isdigit():
            return self._ended(f"{self._what} was cut off ({code}{detail})")
        return self._ended(f"{self._what} closed the session ({code}{detail})", int(code))

    def _ended(self, message: str, code: int | None = None) -> LinkEndedError:
        self._over = self._over or LinkEndedError(" ".join(message.split()), code)
        return self._over
