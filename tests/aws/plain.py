"""The calls that are plain HTTP: SageMaker's response stream, and Polly's SynthesizeSpeech."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from hashlib import sha256

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tests.aws.fake_voice import pcm
from tests.aws.framing import event, exception
from tests.aws.hooks import FailingError, Hooks, Seen
from tests.aws.signing import BadSignatureError, check_request

_PART_BYTES = 8_192


def application(container: str, secrets: Mapping[str, str], hooks: Hooks, seen: Seen) -> Starlette:
    """``container`` is the HTTP address of the model's server."""
    front = Front(container, secrets, hooks, seen)
    return Starlette(
        routes=[
            Route("/endpoints/{name}/invocations-response-stream", front.invoke, methods=["POST"]),
            Route("/v1/speech", front.synthesize, methods=["POST"]),
        ]
    )


class Front:
    """Both services."""

    def __init__(
        self, container: str, secrets: Mapping[str, str], hooks: Hooks, seen: Seen
    ) -> None:
        self._container, self._secrets, self._hooks, self._seen = container, secrets, hooks, seen

    async def invoke(self, request: Request) -> Response:
        """InvokeEndpointWithResponseStream: what the model answers, in parts."""
        body = await request.body()
        if (refusal := await self._refusal(request, body)) is not None:
            return refusal
        client = httpx.AsyncClient(timeout=60)
        try:
            call = client.build_request("POST", f"{self._container}/invocations", content=body)
            answer = await client.send(call, stream=True)
        except httpx.HTTPError:
            return _error(424, "ModelError", OriginalStatusCode=500, OriginalMessage="no model")
        if answer.status_code != 200:
            message = (await answer.aread()).decode()
            status = answer.status_code
            return _error(424, "ModelError", OriginalStatusCode=status, OriginalMessage=message)
        parts = self._parts(client, answer)
        return StreamingResponse(parts, media_type="application/vnd.amazon.eventstream")

    async def synthesize(self, request: Request) -> Response:
        """SynthesizeSpeech: the sound of a text."""
        body = await request.body()
        if (refusal := await self._refusal(request, body)) is not None:
            return refusal
        asked = json.loads(body)
        self._seen.texts.append(asked["Text"])
        sound = pcm(asked["Text"], int(asked.get("SampleRate", "16000")))
        return StreamingResponse(self._pieces(sound), media_type="audio/pcm")

    async def _pieces(self, sound: bytes) -> AsyncIterator[bytes]:
        for number, start in enumerate(range(0, len(sound), _PART_BYTES)):
            await self._hooks.before_part(number)
            yield sound[start : start + _PART_BYTES]

    async def _parts(
        self, client: httpx.AsyncClient, answer: httpx.Response
    ) -> AsyncIterator[bytes]:
        self._seen.open_sessions += 1
        sent = 0
        try:
            async for data in answer.aiter_bytes(_PART_BYTES):
                await self._hooks.before_part(sent)
                yield event("PayloadPart", data, "application/octet-stream").encode()
                sent += 1
        except FailingError:
            failure = {"ErrorCode": "StreamBroken", "Message": "broken"}
            yield exception("ModelStreamError", **failure).encode()
        finally:
            self._seen.open_sessions -= 1
            await answer.aclose()
            await client.aclose()

    async def _refusal(self, request: Request, body: bytes) -> Response | None:
        headers = dict(request.headers)
        self._seen.requests.append(headers)
        if request.client is not None:
            self._seen.ports.append(request.client.port)
        if (
            headers.get("x-amz-content-sha256", sha256(body).hexdigest())
            != sha256(body).hexdigest()
        ):
            return _error(403, "InvalidSignatureException")
        headers.setdefault("x-amz-content-sha256", sha256(body).hexdigest())
        try:
            check_request("POST", request.url.path, headers, self._secrets)
        except BadSignatureError:
            return _error(403, "InvalidSignatureException")
        if self._hooks.rejects:
            reject = self._hooks.rejects.popleft()
            return _error(reject.status, reject.error, reject.headers, **reject.members)
        await self._hooks.before_answer()
        return None


def _error(
    status: int, kind: str, headers: Mapping[str, str] | None = None, **members: object
) -> Response:
    body = json.dumps({"Message": kind, **members})
    return Response(body, status, {"x-amzn-errortype": kind, **(headers or {})}, "application/json")
