"""Asking again, a little later each time and never in step with others."""

from __future__ import annotations

import asyncio
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
    attempts: int = ATTEMPTS,
    random_share: Callable[[], float] = random.random,
) -> T:
    """What ``call`` gives, asked again after throttling, a 5xx or a lost connection.

    ``call`` must not have handed anything on before it fails. Raises its last ``EngineError``.
    """
    for number in range(attempts):
        try:
            return await call()
        except EngineError as error:
            if number + 1 == attempts or not retryable(error):
                raise
            wait_s = random_share() * min(LONGEST_S, BASE_S * 2**number)
            if isinstance(error, EngineBusyError) and error.retry_after_s:
                if error.retry_after_s > LONGEST_S:
                    raise
                wait_s = max(wait_s, error.retry_after_s)
            logger.info("asked again in {:.2f} s: {}", wait_s, type(error).__name__)
            await asyncio.sleep(wait_s)
    raise AssertionError("attempts is at least 1")
