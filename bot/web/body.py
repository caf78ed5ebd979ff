"""A bound on request bodies, for every route."""

from __future__ import annotations

from fastapi import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 256 * 1024
"""A session description is under 10 kB, a carrier's webhook under 4 kB."""


class BodyLimit:
    """ASGI middleware: a request body over ``MAX_BODY_BYTES`` is answered with 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if _declared_length(scope) > MAX_BODY_BYTES:
            await JSONResponse({"detail": "Body too large."}, 413)(scope, receive, send)
            return
        await self._app(scope, _counted(receive), send)


def _declared_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def _counted(receive: Receive) -> Receive:
    """``receive``, raising 413 once a body without a declared length has grown too large."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise HTTPException(413, "Body too large.")
        return message

    return limited
