"""What Amazon's services and the containers behind them refuse, by kind."""

from __future__ import annotations

import math
from collections.abc import Mapping

from speech.engines.remote.told import code_in
from speech.errors import EngineBusyError, EngineError, EngineRefusedError

IN_BAND: Mapping[str, int] = {
    "queue_saturated": 503,
    "queue_full": 503,
    "too_many_requests": 429,
    "request_stale": 408,
}
"""What containers say in an error message instead of a status."""

PASSING = ("draining", "not_ready")
"""Why our container takes nothing although it has room: another, or the next one there, does."""

_STATUS_OF = {
    "ValidationException": 400,
    "InputValidationError": 400,
    "ServiceFailureException": 500,
    "InternalStreamFailure": 500,
}
"""Of errors that come inside a stream, where there is no status."""

_OF_THE_CONTAINER = ("ModelError", "ModelStreamError")
"""What of these is told is the container's words."""

_THROTTLED = ("Throttl", "TooManyRequests", "ServiceQuotaExceeded", "LimitExceeded")
_REFUSED = (400, 401, 402, 403, 404)


class ServiceError(EngineError):
    """The service failed or cannot be reached; ``status`` is HTTP's, or None without one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class StaleRequestError(ServiceError):
    """408: the request was older than the container takes when its turn came."""


class ModelFailedError(ServiceError):
    """The container answered with an error; ``status`` is what it gave."""


class ServiceTimeoutError(ServiceError):
    """No answer within the time we wait."""


class ThrottledError(EngineBusyError):
    """429, or a quota of the account is used up."""

    status = 429


class SaturatedError(EngineBusyError):
    """503: the endpoint's queue is full."""

    status = 503


class RefusedError(EngineRefusedError):
    """Wrong credentials, endpoint or request: waiting does not mend it."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


def failure(
    what: str,
    status: int | None,
    kind: str,
    detail: str = "",
    *,
    original: int | None = None,
    retry_after_s: float | None = None,
) -> EngineError:
    """The error for an answer with ``status`` and the service's name for it, ``kind``.

    ``original`` is the container's own status where the service wraps it in a 424. Of the
    container's words only a code is told: errors are logged, and it may repeat what it was to say.
    """
    by_model = original is not None
    ours = not by_model and kind not in _OF_THE_CONTAINER
    status = original if original is not None else in_band(detail) or status
    status = status or _STATUS_OF.get(kind)
    line = f"{what}: {kind or 'failed'}" + (f" ({status})" if status else "")
    line += _detail(detail) if ours else _code(detail, status)
    if status == 429 or any(mark in kind for mark in _THROTTLED):
        return ThrottledError(line, retry_after_s)
    if status == 503 and any(word in detail for word in PASSING):
        return ServiceError(line, status)
    if status == 503:
        return SaturatedError(line, retry_after_s)
    if status == 408:
        return StaleRequestError(line, status)
    if status in _REFUSED:
        return RefusedError(line, status)
    return (ModelFailedError if by_model else ServiceError)(line, status)


def in_band(message: str) -> int | None:
    """The status that a container's error message stands for, if it is one of those."""
    return next((status for token, status in IN_BAND.items() if token in message), None)


def retryable(error: EngineError) -> bool:
    """Whether asking again soon may help."""
    if isinstance(error, (ThrottledError, SaturatedError)):
        return True
    if not isinstance(error, ServiceError) or isinstance(error, StaleRequestError):
        return False
    return error.status is None or error.status >= 500


def seconds(text: str | float | None) -> float | None:
    """A Retry-After in seconds; None for dates and nonsense."""
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _detail(detail: str) -> str:
    line = " ".join(detail.split())
    return f": {line[:200]}" if line else ""


def _code(detail: str, status: int | None) -> str:
    """The code in a container's words that says why, or where to read the rest."""
    if known := next((word for word in (*IN_BAND, *PASSING) if word in detail), code_in(detail)):
        return f": {known}"
    refused = ": it does not take this voice, speed or text" if status == 400 else ""
    return refused + (", see the container's log" if detail else "")
