"""Beginning a conversation: which version the server speaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Literal

from speech.engines.link import Connect, LinkEndedError
from speech.engines.remote.exchange import Exchange
from speech.engines.remote.talk import CREDIT_MS, RATE_HZ, Talk, Talk1
from speech.engines.remote.talk0 import Talk0
from speech.engines.remote.told import says
from speech.errors import EngineError, EngineRefusedError
from speech.wire import (
    VERSION,
    Error,
    Hello,
    Ready,
    WireError,
    encode,
    parse_server,
    parse_server_0,
)

Protocol = Literal["auto", 0, 1]
Clock = Callable[[], float]

LEAST_S = 1.0
"""Of a session, and of silence in it. With less each word would have a connection of its own."""

HELLO_S = 5.0
"""A server answers a greeting at once; one that is overrun is as good as gone."""


async def greet(
    connect: Connect, protocol: Protocol, unit_timeout_s: float, clock: Clock = time.monotonic
) -> Talk:
    """A new conversation, in version 1, or 0 where the server knows no ``hello``.

    Raises what ``connect`` raises, and ``EngineRefusedError`` for one that speaks no
    version of ours.
    """
    exchange = Exchange(await connect())
    try:
        if protocol == 0:
            return Talk0(exchange, unit_timeout_s, clock)
        return await _greeted(exchange, protocol, unit_timeout_s, clock)
    except LinkEndedError as error:
        await exchange.aclose()
        if protocol == 1:
            raise
        # The first reference containers end a session at what they do not know.
        return await _without_hello(connect, unit_timeout_s, clock, error)
    except (EngineError, asyncio.CancelledError):
        await exchange.aclose()
        raise


async def _greeted(
    exchange: Exchange, protocol: Protocol, unit_timeout_s: float, clock: Clock
) -> Talk:
    await exchange.send(encode(Hello(VERSION, credit_ms=CREDIT_MS)))
    answer = await exchange.receive(HELLO_S)
    if answer is None:
        exchange.lost()
    if not isinstance(answer, str):
        raise EngineError(f"the speech server did not answer within {HELLO_S:g} s")
    try:
        message = parse_server(answer)
    except WireError:
        if protocol == 1 or not _is_version_0(answer):
            raise EngineRefusedError("the server there is no speech server") from None
        return Talk0(exchange, unit_timeout_s, clock)
    if isinstance(message, Ready):
        _check_as_asked(message)
        return Talk1(exchange, message, unit_timeout_s, clock)
    said = message.code if isinstance(message, Error) else message.type
    said = f"{says(said)} (to our greeting)"
    later = isinstance(message, Error) and message.retryable
    raise EngineError(said) if later else EngineRefusedError(said)


def _check_as_asked(ready: Ready) -> None:
    """What is not would be heard at the wrong speed, or never be said."""
    limits = ready.limits
    wrong = {
        "version": ready.version != VERSION,
        "sample_rate": ready.sample_rate != RATE_HZ,
        "voices": not ready.voices,
        "limits": limits.text_chars < 1 or min(limits.session_s, limits.idle_s) < LEAST_S,
    }
    for field, is_wrong in wrong.items():
        if is_wrong:
            raise EngineRefusedError(f"the server there does not speak as we ask ({field})")


def _is_version_0(answer: str) -> bool:
    try:
        parse_server_0(answer)
    except WireError:
        return False
    return True


async def _without_hello(
    connect: Connect, unit_timeout_s: float, clock: Clock, first: LinkEndedError
) -> Talk:
    try:
        return Talk0(Exchange(await connect()), unit_timeout_s, clock)
    except EngineError:
        raise first from None
