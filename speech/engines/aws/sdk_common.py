"""Amazon's SDK for streams: who signs, how a stream ends, what went wrong."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from aws_sdk_signers import AWSCredentialIdentity
from awscrt.exceptions import AwsCrtError
from smithy_aws_event_stream.exceptions import EventError
from smithy_core.aio.interfaces.identity import IdentityResolver
from smithy_core.exceptions import CallError, SmithyError

from speech.engines.aws.access import Access
from speech.engines.aws.errors import RefusedError, ServiceError, ServiceTimeoutError, failure
from speech.engines.aws.sdk_connection import CLOSE_TIMEOUT_S
from speech.errors import EngineError

_FRESH = timedelta(minutes=1)
"""How long the SDK may keep credentials before it asks again whether they must be renewed."""

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


class OneIdentity(IdentityResolver[Any, Any]):
    """The first identity for all messages of a stream.

    They name no key, so the service checks them with the request's: one that is renewed
    meanwhile is for the next stream.
    """

    def __init__(self, credentials: IdentityResolver[Any, Any]) -> None:
        self._credentials = credentials
        self._identity: AWSCredentialIdentity | None = None

    async def get_identity(self, *, properties: Any) -> AWSCredentialIdentity:
        """See the class; it never expires here, whatever the service says to it."""
        if self._identity is None:
            found = await self._credentials.get_identity(properties=properties)
            self._identity = replace(found, expiration=None)
        return self._identity


async def sign_alike(stream: Any) -> None:
    """Sign all that is said over a stream, which has just begun, with its request's key."""
    signing = stream.input_stream._signing_config
    signing.identity_resolver = OneIdentity(signing.identity_resolver)
    await signing.identity_resolver.get_identity(properties=signing.identity_properties)


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
        if isinstance(cause, TimeoutError):
            return ServiceTimeoutError(f"{what}: cannot be reached")
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
