"""Asking again, a little later each time and never in step with others."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from loguru import logger

from speech.engines.aws.errors import retryable
from speech.errors import EngineBusyError, EngineError

T = TypeVar("T")

ATTEMPTS = 4
"""As in Amazon's own clients, plus one: a voice has no other way to wait."""
BASE_S, LONGEST_S = 0.1, 2.0
"""Full jitter: each wait is random between nothing and this, doubled each time."""


async def with_retries(
    call: Callable[[], Awaitable[T]],
    *,
    within_s: float,
    attempts: int = ATTEMPTS,
    random_share: Callable[[], float] = random.random,
) -> T:
    """What ``call`` gives, asked again after throttling, a 5xx or a lost connection.

    Nothing is asked again after ``within_s``, which one that is not answered has used up.
    ``call`` must not have handed anything on before it fails. Raises its last ``EngineError``.
    """
    time = asyncio.get_running_loop().time
    until = time() + within_s
    for number in range(attempts):
        try:
            return await call()
        except EngineError as error:
            wait_s = random_share() * min(LONGEST_S, BASE_S * 2**number) + _asked_s(error)
            last = number + 1 == attempts or time() + wait_s >= until
            if last or not retryable(error):
                raise
            logger.info("asked again in {:.2f} s: {}", wait_s, type(error).__name__)
            await asyncio.sleep(wait_s)
    raise AssertionError("attempts is at least 1")


def _asked_s(error: EngineError) -> float:
    """How long the service asks us to wait, at least: all who were told so at once are not to
    come back at once. What it asks is left to the caller where a listener would not wait."""
    asked_s = (isinstance(error, EngineBusyError) and error.retry_after_s) or 0.0
    return asked_s if asked_s <= LONGEST_S else math.inf
