"""A fault is known for what it is, by whatever words the server has for it."""

from __future__ import annotations

import httpx2
import openai
import pytest

from bot.llm.faults import fault_of
from bot.llm.policy import FaultKind

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")

TOO_LONG = [
    ("This model's maximum context length is 8192 tokens. However, your messages", 8192),
    ("This model's maximum context length is 4,096 tokens.", 4096),
    ("'max_tokens' is too large: 256. This model's maximum context length is 2048 tokens", 2048),
    ("the request exceeds the available context size, try increasing it", None),
    ("request (9000 tokens) exceeds the available context size (4096 tokens), try", 4096),
    ("However, the model is loaded with context length of only 4096 tokens, which", 4096),
    ("Please reduce the length of the messages or completion.", None),
    ("prompt is too long: 200 tokens > 100 maximum", None),
    ("maximum context length is 5", None),
]


def status_error(message: str, status: int = 400, **fields: object) -> openai.APIStatusError:
    body = {"message": message, **fields}
    response = httpx2.Response(status, request=REQUEST)
    return openai.APIStatusError(message, response=response, body=body)


@pytest.mark.parametrize(("message", "tokens"), TOO_LONG)
def test_a_full_context(message: str, tokens: int | None) -> None:
    fault = fault_of(status_error(message), connected=False)
    assert (fault.kind, fault.context_tokens) == (FaultKind.TOO_LONG, tokens)
    in_stream = openai.APIError(message, REQUEST, body={"message": message})
    assert fault_of(in_stream, connected=True).context_tokens == tokens


def test_llama_cpp_names_the_size_beside_the_message() -> None:
    error = status_error("too big", type="exceed_context_size_error", n_ctx=512)
    assert fault_of(error, connected=False).context_tokens == 512


@pytest.mark.parametrize("message", ["context is missing", "bad context", "max_tokens too large"])
def test_other_refusals(message: str) -> None:
    assert fault_of(status_error(message), connected=False).kind is FaultKind.REJECTED


@pytest.mark.parametrize(
    ("error", "connected", "kind"),
    [
        (openai.APITimeoutError(REQUEST), True, FaultKind.STALL),
        (openai.APIConnectionError(request=REQUEST), True, FaultKind.BROKEN),
        (openai.APIConnectionError(request=REQUEST), False, FaultKind.CONNECT),
        (ValueError("what somebody said"), True, FaultKind.BROKEN),
        (ValueError("what somebody said"), False, FaultKind.UNEXPECTED),
    ],
)
def test_connections(error: Exception, connected: bool, kind: FaultKind) -> None:
    fault = fault_of(error, connected=connected)
    assert fault.kind is kind
    assert "somebody" not in fault.detail
