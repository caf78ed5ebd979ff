"""From the SDK's exceptions to faults, and from faults to a line for the operator."""

from __future__ import annotations

import re

import openai
from openai import APIStatusError
from pipecat.utils.errors import ErrorCategory

from bot.llm.policy import Fault, FaultKind, parse_retry_after

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

_USERINFO = re.compile(r"//[^/@]*@")


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
        return Fault(FaultKind.CONNECT, detail=_cause(error))
    if isinstance(error, openai.APIError):  # an error event inside the stream
        return Fault(FaultKind.SERVER, detail=_code(error))
    if connected:  # the HTTP client's own errors are not wrapped while a stream is read
        return Fault(FaultKind.BROKEN, detail=type(error).__name__)
    return Fault(FaultKind.UNEXPECTED, detail=type(error).__name__)


def _status_fault(error: APIStatusError) -> Fault:
    status = error.status_code
    default = FaultKind.SERVER if status >= 500 else FaultKind.REJECTED
    return Fault(
        STATUS_KINDS.get(status, default),
        status,
        parse_retry_after(error.response.headers.get("retry-after")),
        _code(error),
        _parameter(error) if status in (400, 422) else None,
    )


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


def operator_line(fault: Fault, *, base_url: str, model: str, key_name: str | None) -> str:
    """One line that says what is wrong and what to do."""
    code = f", {fault.detail}" if fault.detail else ""
    where = f"LLM at {_USERINFO.sub('//', base_url)}"
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
        "check llm.model and llm.base_url",
        FaultKind.REJECTED: f"{where} rejected the request ({fault.status}{code})",
        FaultKind.SERVER: f"{where} failed ({fault.status or 'in mid-answer'}{code})",
        FaultKind.EMPTY: f"{where} sent an empty answer",
        FaultKind.UNEXPECTED: f"{where}: unexpected {fault.detail}; run with --debug",
    }
    return lines[fault.kind]
