"""What may pass is asked again, later each time, and never in step with others."""

from __future__ import annotations

import asyncio

import pytest

from speech.engines.aws.errors import (
    RefusedError,
    SaturatedError,
    ServiceError,
    StaleRequestError,
    ThrottledError,
    failure,
    seconds,
)
from speech.engines.aws.retry import with_retries
from speech.errors import EngineBusyError, EngineError

pytestmark = pytest.mark.looptime


class FakeCall:
    """Fails with these errors, one after the other, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self._errors, self.at = list(errors), []

    async def __call__(self) -> str:
        self.at.append(asyncio.get_running_loop().time())
        if self._errors:
            raise self._errors.pop(0)
        return "answer"


async def test_the_waits_double_up_to_a_bound() -> None:
    call = FakeCall(*[ThrottledError("busy")] * 7)
    assert await with_retries(call, within_s=60.0, attempts=8, random_share=lambda: 1.0) == "answer"
    waits = [round(b - a, 3) for a, b in zip(call.at, call.at[1:], strict=False)]
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


async def test_the_waits_are_random_from_nothing_on() -> None:
    call = FakeCall(ServiceError("down", 500))
    assert await with_retries(call, within_s=60.0, random_share=lambda: 0.0) == "answer"
    assert call.at[0] == call.at[1]


async def test_what_the_service_asks_for_is_waited_or_left_to_the_caller() -> None:
    waits = []
    for share in (0.0, 1.0):
        call = FakeCall(*[SaturatedError("full", 1.5)] * 2)
        await with_retries(call, within_s=60.0, random_share=lambda: share)  # noqa: B023
        waits += [round(b - a, 3) for a, b in zip(call.at, call.at[1:], strict=False)]
    assert waits == [1.5, 1.5, 1.6, 1.7]  # never sooner, and not all at once
    with pytest.raises(SaturatedError):
        await with_retries(FakeCall(SaturatedError("full", 30.0)), within_s=60.0)


async def test_nothing_is_asked_again_when_the_time_is_up() -> None:
    call = FakeCall(ServiceError("down", 500))

    async def slow() -> str:
        await asyncio.sleep(3)
        return await call()

    with pytest.raises(ServiceError):
        await with_retries(slow, within_s=3.0)
    assert len(call.at) == 1


@pytest.mark.parametrize(
    "error", [RefusedError("no"), StaleRequestError("old", 408), EngineError("other")]
)
async def test_what_will_not_pass_is_not_asked_again(error: EngineError) -> None:
    call = FakeCall(error)
    with pytest.raises(type(error)):
        await with_retries(call, within_s=60.0)
    assert len(call.at) == 1


async def test_the_last_error_is_raised() -> None:
    call = FakeCall(*[ServiceError(str(number), 500) for number in range(9)])
    with pytest.raises(ServiceError, match=r"^3$"):
        await with_retries(call, within_s=60.0, random_share=lambda: 0.0)


@pytest.mark.parametrize(
    ("status", "kind", "detail", "original", "expected"),
    [
        (429, "Anything", "", None, ThrottledError),
        (400, "ThrottlingException", "", None, ThrottledError),
        (402, "ServiceQuotaExceededException", "", None, ThrottledError),
        (None, "ThrottlingException", "", None, ThrottledError),
        (503, "ServiceUnavailable", "", None, SaturatedError),
        (424, "ModelError", '{"error":"draining"}', 503, ServiceError),
        (424, "ModelError", '{"error":"not_ready"}', 503, ServiceError),
        (424, "ModelError", '{"error":"queue_saturated"}', None, SaturatedError),
        (424, "ModelError", "request_stale", None, StaleRequestError),
        (424, "ModelError", "", 503, SaturatedError),
        (424, "ModelError", "voice must be one of", 400, RefusedError),
        (None, "ValidationException", "", None, RefusedError),
        (None, "ServiceFailureException", "", None, ServiceError),
        (None, "InternalStreamFailure", "", None, ServiceError),
        (500, "", "a\nb", None, ServiceError),
    ],
)
def test_each_answer_has_its_kind(
    status: int | None, kind: str, detail: str, original: int | None, expected: type[Exception]
) -> None:
    error = failure("It", status, kind, detail, original=original)
    assert type(error) is expected
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("kind", "detail", "original", "line"),
    [
        ("ModelError", "cannot say: Meet me at nine", 400, "text, see the container's log"),
        ("ModelError", 'from model with message "Meet me"', None, ", see the container's log"),
        ("ModelStreamError", "Meet me at nine", None, ", see the container's log"),
        ("ModelError", '{"error":"draining"}', 503, "(503): draining"),
        ("ModelError", "voice_unknown", 400, "(400): voice_unknown"),
        ("ValidationException", "no such endpoint", None, "(400): no such endpoint"),
    ],
)
def test_a_containers_words_are_not_repeated(
    kind: str, detail: str, original: int | None, line: str
) -> None:
    said = str(failure("It", None, kind, detail, original=original))
    assert said.endswith(line)
    assert "Meet me" not in said


def test_a_busy_answer_keeps_when_to_come_back() -> None:
    error = failure("It", 503, "", retry_after_s=seconds("7"))
    assert isinstance(error, EngineBusyError)
    assert error.retry_after_s == 7.0
    assert [seconds(text) for text in ("Wed, 21 Oct", "-1", "inf", None, "nan")] == [None] * 5
