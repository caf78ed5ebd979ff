"""A loopback server that answers with recorded token streams, at their real times."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from bot.llm.recording import RecordedCall, Reply, read_replies

MODEL = "recording"
MAX_REQUEST_BYTES = 4 << 20


class ReplayServer:
    """OpenAI-compatible, on a free loopback port, while the ``async with`` lasts.

    Each request consumes one reply: the first left whose ``prompt_contains`` is in the last
    user message, else the first left without one. When none is left the answer is status
    410 with code ``recording_exhausted``. ``requests`` keeps the bodies that came.
    """

    def __init__(self, replies: Path | str | Sequence[Reply]) -> None:
        """A file's replies, or these; ``UsageError`` for a bad file."""
        if isinstance(replies, Path | str):
            replies = read_replies(Path(replies))
        self._left = list(replies)
        self._total = len(self._left)
        self._runner: web.AppRunner | None = None
        self.base_url = ""
        self.requests: list[dict[str, Any]] = []

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MAX_REQUEST_BYTES)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._complete)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        arrived = asyncio.get_running_loop().time()
        body = await request.json()
        self.requests.append(body)
        reply = self._take(_last_user_text(body.get("messages", [])))
        if reply is None:
            return self._exhausted()
        if not body.get("stream"):
            return web.json_response(_whole(reply, f"call_{len(self.requests)}"))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for at, event in _events(reply, f"call_{len(self.requests)}"):
            await asyncio.sleep(arrived + at - asyncio.get_running_loop().time())
            await response.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        await response.write(b"data: [DONE]\n\n")
        return response

    def _take(self, prompt: str) -> Reply | None:
        named = [r for r in self._left if r.prompt_contains and _holds(prompt, r.prompt_contains)]
        free = [r for r in self._left if not r.prompt_contains]
        reply = next(iter(named + free), None)
        if reply is not None:
            self._left.remove(reply)
        return reply

    def _exhausted(self) -> web.Response:
        left = f"{len(self._left)} left for other prompts" if self._left else "none left"
        text = f"the recording has no reply to this ({self._total} in all, {left})"
        error = {"message": text, "type": "invalid_request_error", "code": "recording_exhausted"}
        return web.json_response({"error": error}, status=410)


def _holds(prompt: str, part: str) -> bool:
    return " ".join(part.lower().split()) in " ".join(prompt.lower().split())


def _last_user_text(messages: Sequence[dict[str, Any]]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            content = message.get("content") or ""
            return content if isinstance(content, str) else json.dumps(content)
    return ""


def _events(reply: Reply, call_id: str) -> Iterator[tuple[float, dict[str, Any]]]:
    """Stream events with their times; tool calls come when they were complete."""
    last = 0.0
    for at, text in reply.chunks:
        last = max(last, at)
        yield at, _event({"content": text})
    for index, call in enumerate(sorted(reply.tool_calls, key=lambda call: call.at)):
        last = max(last, call.at)
        yield last, _event({"tool_calls": [_call(index, call_id, call)]})
    yield last, _event({}, finish="tool_calls" if reply.tool_calls else "stop")


def _call(index: int, call_id: str, call: RecordedCall) -> dict[str, Any]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {"index": index, "id": f"{call_id}_{index}", "type": "function", "function": function}


def _event(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": "replay",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _whole(reply: Reply, call_id: str) -> dict[str, Any]:
    """For a request without streaming."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = [
            _call(index, call_id, call) for index, call in enumerate(reply.tool_calls)
        ]
    finish = "tool_calls" if reply.tool_calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "replay",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [choice],
    }
