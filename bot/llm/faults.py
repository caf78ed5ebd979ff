"""From the SDK's exceptions to faults, and from faults to a line for the operator."""

from __future__ import annotations

import re
from typing import Any

import openai
from openai import APIStatusError
from pipecat.utils.errors import ErrorCategory

from bot.llm.policy import Fault, FaultKind, parse_retry_after
from speech.redact import place_of, without_password

STATUS_KINDS = {
    401: FaultKind.REFUSED,
    403: FaultKind.REFUSED,
    404: FaultKind.NOT_FOUND,
    408: FaultKind.SERVER,
    409: FaultKind.SERVER,
    429: FaultKind.RATE_LIMIT,
}

CATEGORIES = {
    FaultKind.CONNECT: ErrorCategory.CONNECTIVITY,
    FaultKind.FIRST_TOKEN: ErrorCategory.CONNECTIVITY,
    FaultKind.STALL: ErrorCategory.CONNECTIVITY,
    FaultKind.BROKEN: ErrorCategory.CONNECTIVITY,
    FaultKind.RATE_LIMIT: ErrorCategory.RATE_LIMIT,
    FaultKind.SERVER: ErrorCategory.SERVER,
    FaultKind.EMPTY: ErrorCategory.SERVER,
}
"""The rest are APPLICATION: pipecat takes AUTHENTICATION, AUTHORIZATION and INVALID_REQUEST
for permanent and would stop asking, where this bot must go on and say that it cannot answer."""

MAX_CODE_CHARS = 60

DISPENSABLE = ("tools", "temperature", "stream_options")
"""Parameters a model may refuse and still answer: many small ones take no tools, OpenAI's
reasoning models no temperature, some servers no stream options."""

_NO_TOOLS = re.compile(r"not support(ed)? (the )?tool|tool[^.]{0,30} not supported", re.IGNORECASE)


_CONTEXT_EXCEEDED = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length"
    r"|exceeds? (the |the model's )?(available |maximum )?context|context (the )?overflow"
    r"|loaded with context length|(prompt|input) is too long|reduce the length of the messages",
    re.IGNORECASE,
)
"""OpenAI, llama.cpp, vLLM, LM Studio and those that imitate them."""

_CONTEXT_SIZE = re.compile(
    r"context (?:length|size|window)(?: is| of)?(?: only)?(?: at most)?[ (:]{1,2}(\d[\d,]{1,9})\b",
    re.IGNORECASE,
)
LEAST_CONTEXT_TOKENS = 128
"""A smaller number in an error is something else."""


class Faulted(Exception):
    """An attempt that failed; carries the fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


def fault_of(error: Exception, *, connected: bool) -> Fault:
    """Classify what the SDK or its HTTP client raised; ``connected``: headers had come."""
    if isinstance(error, APIStatusError):
        return _status_fault(error)
    if isinstance(error, openai.APIConnectionError):
        return _connection_fault(error, connected)
    if isinstance(error, openai.APIError):  # an error event inside the stream
        return _too_long(error) or Fault(FaultKind.SERVER, detail=_code(error))
    if connected:  # what came was not a stream of JSON
        return Fault(FaultKind.BROKEN, detail=type(error).__name__)
    return Fault(FaultKind.UNEXPECTED, detail=place_of(error))


def _connection_fault(error: openai.APIConnectionError, connected: bool) -> Fault:
    if connected:
        late = isinstance(error, openai.APITimeoutError)
        return Fault(FaultKind.STALL if late else FaultKind.BROKEN, detail=_cause(error))
    if _cause(error) == "ReadTimeout":
        return Fault(FaultKind.FIRST_TOKEN)
    return Fault(FaultKind.CONNECT, detail=_cause(error))


def _status_fault(error: APIStatusError) -> Fault:
    status = error.status_code
    if status in (400, 413, 422, 500) and (fault := _too_long(error)):
        return fault
    default = FaultKind.SERVER if status >= 500 else FaultKind.REJECTED
    return Fault(
        STATUS_KINDS.get(status, default),
        status,
        parse_retry_after(error.response.headers.get("retry-after")),
        _code(error),
        _parameter(error) if status in (400, 422) else None,
    )


def _too_long(error: openai.APIError) -> Fault | None:
    """The request did not fit the model's context; its size, where the server says it."""
    body: dict[str, Any] = error.body if isinstance(error.body, dict) else {}
    said = f"{error.code} {error.type} {error.message}"
    if not _CONTEXT_EXCEEDED.search(said):
        return None
    size = body.get("n_ctx")
    if not isinstance(size, int) and (found := _CONTEXT_SIZE.search(said)):
        size = int(found[1].replace(",", ""))
    tokens = size if isinstance(size, int) and size >= LEAST_CONTEXT_TOKENS else None
    status = error.status_code if isinstance(error, APIStatusError) else None
    return Fault(FaultKind.TOO_LONG, status, detail=_code(error), context_tokens=tokens)


def _parameter(error: APIStatusError) -> str | None:
    """OpenAI names the parameter; Ollama only writes that there is no support for tools."""
    if error.param in DISPENSABLE:
        return error.param
    return "tools" if _NO_TOOLS.search(str(error)) else None


def _code(error: openai.APIError) -> str:
    """The provider's machine-readable code; its prose may repeat keys or what people said."""
    return str(error.code or error.type or "")[:MAX_CODE_CHARS]


def _cause(error: Exception) -> str:
    inner: BaseException = error
    while inner.__cause__ is not None:
        inner = inner.__cause__
    return inner.strerror or str(inner) if isinstance(inner, OSError) else type(inner).__name__


def operator_line(
    fault: Fault, *, base_url: str, model: str, key_name: str | None, url_name: str
) -> str:
    """One line that says what is wrong and what to do, where the URL and key are written."""
    code = f", {fault.detail}" if fault.detail else ""
    where = f"LLM at {without_password(base_url)}"
    key = (
        f"check {key_name}"
        if key_name
        else "put its key into EARSHOT_LLM_API_KEY, in the environment or .env"
    )
    lines = {
        FaultKind.CONNECT: f"{where} not reached{code}: is the server running?",
        FaultKind.FIRST_TOKEN: f"{where} was silent for longer than llm.first_token_timeout_s",
        FaultKind.STALL: f"{where} stalled in mid-answer for longer than llm.stall_timeout_s",
        FaultKind.BROKEN: f"{where} broke off its answer{code}",
        FaultKind.RATE_LIMIT: f"{where} is limiting us (429{code}): wait, or raise the limit",
        FaultKind.REFUSED: f"{where} refused the key ({fault.status}{code}): {key}",
        FaultKind.NOT_FOUND: f"{where} has no model {model!r} or no such URL (404{code}): "
        f"check llm.model and {url_name}",
        FaultKind.REJECTED: f"{where} rejected the request ({fault.status}{code})",
        FaultKind.SERVER: f"{where} failed ({fault.status or 'in mid-answer'}{code})",
        FaultKind.EMPTY: f"{where} sent an empty answer",
        FaultKind.TOO_LONG: f"the request does not fit the context of the {where}{code}: "
        "shorten bot.system_prompt, or give the model a larger context",
        FaultKind.NOT_AN_API: f"{where} is not an OpenAI-compatible API: it answered with a web "
        f"page; check {url_name}",
        FaultKind.UNEXPECTED: f"{where}: unexpected {fault.detail}",
    }
    return lines[fault.kind]
