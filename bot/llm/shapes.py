"""Answers of other shapes than a stream of chunks, as servers send them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk

from bot.llm.faults import Faulted
from bot.llm.policy import Fault, FaultKind
from speech.text_clean import json_text

MOST_BYTES = 1 << 20
"""Of an answer that comes whole; some fifty times the longest that is spoken."""


async def as_stream(
    stream: AsyncStream[ChatCompletionChunk], client: AsyncOpenAI
) -> AsyncStream[ChatCompletionChunk]:
    """``stream``, or one made of the answer that came whole although a stream was asked for.

    Raises ``Faulted`` for a web page.
    """
    kind = stream.response.headers.get("content-type", "").lower()
    if "html" in kind:
        await stream.close()
        raise Faulted(Fault(FaultKind.NOT_AN_API))
    if "application/json" not in kind:
        return stream
    pieces = stream.response.aiter_bytes()
    try:
        body = await _whole(pieces)
    except Exception as error:  # the HTTP client's own, which the SDK has not met
        raise Faulted(Fault(FaultKind.BROKEN, detail=type(error).__name__)) from error
    finally:
        await stream.close()
    sort = type(stream.response)  # of the HTTP client that this SDK was made for
    response = sort(200, content=_as_events(body), request=stream.response.request)
    return AsyncStream(cast_to=ChatCompletionChunk, response=response, client=client)


async def _whole(pieces: AsyncIterator[bytes]) -> bytes:
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > MOST_BYTES:
            raise ValueError("an answer without end")
    return body


def _as_events(body: bytes) -> bytes:
    """One event of a whole answer; a stream that only has the wrong name stays as it is."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if isinstance(answer, dict) and isinstance(answer.get("choices"), list):
        answer |= {"choices": [_as_chunk(choice) for choice in answer["choices"][:1]]}
    return f"data: {json_text(answer)}\n\ndata: [DONE]\n\n".encode()


def _as_chunk(choice: Any) -> Any:
    """A choice with its message as the only delta."""
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        return choice
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        numbered = [{"index": at} | call for at, call in enumerate(calls) if isinstance(call, dict)]
        message = message | {"tool_calls": numbered}
    return choice | {"delta": message, "finish_reason": choice.get("finish_reason") or "stop"}


def text_of(content: Any) -> str:
    """The text of a content, which may be a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))
