"""One request to the model: its answer as it streams in, or the fault that ended it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

from loguru import logger
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk

from bot.config.schema import LlmSettings
from bot.llm.answer import Answer
from bot.llm.faults import Faulted, fault_of
from bot.llm.policy import Fault, FaultKind, StreamDeadline
from bot.llm.shapes import as_stream
from speech.redact import place_of

_END = object()


async def attempt(
    client: AsyncOpenAI,
    params: dict[str, Any],
    answer: Answer,
    limits: LlmSettings,
    *,
    finishes: bool = False,
) -> AsyncGenerator[ChatCompletionChunk, None]:
    """The chunks that ``answer`` makes of the stream, tool calls last.

    Raises ``Faulted`` unless it ends with words or a tool call within the limits. A server
    that ``finishes`` its answers with a reason has broken off one without.
    """
    deadline = StreamDeadline(
        time.monotonic,
        first_token_s=limits.first_token_timeout_s,
        stall_s=limits.stall_timeout_s,
    )
    stream = await _open(client, params, deadline)
    odd: Faulted | None = None
    try:
        while (chunk := await _next(stream, deadline)) is not None:
            try:
                taken = _taken(answer, chunk)
            except Faulted as error:  # some servers put things of their own between
                taken, odd = [], error
            begun = time.monotonic()
            for out in taken:
                yield out  # returns when the voice is near enough: processors.read_ahead
            deadline.waited(time.monotonic() - begun)
            if answer.full or (deadline.too_long and not answer.finished):
                logger.warning("the model's answer was cut off: it goes on for too long")
                break
            _note(answer, deadline)
    finally:
        await stream.close()
    if finishes and not answer.finished and not answer.full and not deadline.too_long:
        raise Faulted(Fault(FaultKind.BROKEN, detail="no finish reason"))
    for out in answer.tool_chunks():
        yield out
    if answer.is_empty:
        raise odd or Faulted(Fault(FaultKind.EMPTY))


def _note(answer: Answer, deadline: StreamDeadline) -> None:
    """Move the deadline; a chunk that came in time but said nothing must not hide its end."""
    if deadline.finished:
        return
    if answer.finished:
        deadline.finish()
    elif answer.spoke or answer.called or answer.thought:
        deadline.progress(heard=answer.spoke)
    if deadline.too_late:
        raise Faulted(deadline.fault)


def _taken(answer: Answer, chunk: Any) -> list[ChatCompletionChunk]:
    """The SDK does not check what it reads: a chunk may be of any shape."""
    try:
        return list(answer.take(chunk))
    except Exception as error:
        detail = f"a chunk that makes no sense, {place_of(error)}"
        raise Faulted(Fault(FaultKind.BROKEN, detail=detail)) from error


async def _open(
    client: AsyncOpenAI, params: dict[str, Any], deadline: StreamDeadline
) -> AsyncStream[ChatCompletionChunk]:
    try:
        async with asyncio.timeout(deadline.remaining_s):
            stream: AsyncStream[ChatCompletionChunk] = await client.chat.completions.create(
                **params
            )
            return await as_stream(stream, client)
    except TimeoutError as error:
        raise Faulted(deadline.fault) from error
    except Faulted:
        raise
    except Exception as error:  # whatever it is, the user must hear something
        raise Faulted(fault_of(error, connected=False)) from error


async def _next(stream: AsyncStream[ChatCompletionChunk], deadline: StreamDeadline) -> Any | None:
    """The next chunk, or None at the end of the stream; ``null``, a keep-alive, is passed by."""
    try:
        async with asyncio.timeout(deadline.remaining_s):
            while (chunk := await anext(stream, _END)) is None:
                pass
            return None if chunk is _END else chunk
    except TimeoutError as error:
        if deadline.finished:
            return None
        raise Faulted(deadline.fault) from error
    except Exception as error:  # whatever it is, the user must hear something
        if deadline.finished:
            return None
        raise Faulted(fault_of(error, connected=True)) from error
