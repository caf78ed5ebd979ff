"""What boto3 raises, as one of our errors."""

from __future__ import annotations

from typing import Any

from speech.engines.aws.access import NO_CREDENTIALS
from speech.engines.aws.errors import (
    RefusedError,
    ServiceError,
    ServiceTimeoutError,
    failure,
    seconds,
)
from speech.errors import EngineError, EngineRefusedError


def understood(what: str, error: Exception) -> EngineError:
    """The error for a failed call, or for a stream of one that failed."""
    from botocore import exceptions as boto

    if isinstance(error, EngineError):
        return error
    if isinstance(error, boto.ClientError):  # errors in a stream, too
        return _of_service(what, error.response)
    if isinstance(error, (boto.NoCredentialsError, boto.PartialCredentialsError)):
        return EngineRefusedError(NO_CREDENTIALS)
    if isinstance(error, (boto.ReadTimeoutError, boto.ConnectTimeoutError, TimeoutError)):
        return ServiceTimeoutError(f"{what}: no answer in time")
    if isinstance(error, boto.ParamValidationError):
        return RefusedError(f"{what}: {' '.join(str(error).split())}")
    return ServiceError(f"{what}: {' '.join(str(error).split()) or type(error).__name__}")


def _of_service(what: str, response: dict[str, Any]) -> EngineError:
    told, about = response.get("Error", {}), response.get("ResponseMetadata", {})
    status = about.get("HTTPStatusCode")
    if status in (401, 403):
        return RefusedError(f"{what}: Amazon refuses these credentials ({status})", status)
    return failure(
        what,
        status,
        told.get("Code", ""),
        response.get("OriginalMessage") or told.get("Message", ""),
        original=response.get("OriginalStatusCode"),
        retry_after_s=seconds(about.get("HTTPHeaders", {}).get("retry-after")),
    )
