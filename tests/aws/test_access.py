"""What keeps credentials from us is told by kind: one that passes lets the engine rest shortly."""

from __future__ import annotations

from typing import Any

import pytest
from botocore import exceptions as boto

from speech.engines.aws.access import Access
from speech.engines.aws.errors import RefusedError, ServiceError, ServiceTimeoutError
from speech.errors import EngineBusyError, EngineError, EngineRefusedError


class FakeCredentials:
    """Are to be renewed, which fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def get_credentials(self) -> FakeCredentials:
        return self

    def refresh_needed(self) -> bool:
        return True

    def get_frozen_credentials(self) -> Any:
        raise self.error


def said(code: str, status: int) -> boto.ClientError:
    answer: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return boto.ClientError(answer, "AssumeRole")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (said("AccessDenied", 403), RefusedError),
        (said("Throttling", 400), EngineBusyError),
        (said("InternalFailure", 500), ServiceError),
        (boto.EndpointConnectionError(endpoint_url="x"), ServiceError),
        (boto.ReadTimeoutError(endpoint_url="x"), ServiceTimeoutError),
        (boto.MetadataRetrievalError(error_msg="away"), ServiceError),
        (boto.CredentialRetrievalError(provider="p", error_msg="a\nb"), EngineRefusedError),
        (boto.UnauthorizedSSOTokenError(), EngineRefusedError),
        (RuntimeError("refreshed credentials are still expired"), EngineRefusedError),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_each_failure_has_its_kind(error: Exception, kind: type[EngineError]) -> None:
    access = Access()
    vars(access)["session"] = FakeCredentials(error)
    with pytest.raises(kind) as caught:
        await access.credentials()
    assert isinstance(caught.value, EngineRefusedError) == issubclass(kind, EngineRefusedError)
    assert "\n" not in str(caught.value)
