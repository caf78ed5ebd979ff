"""The carrier's routes: the webhook that answers a call, the socket that carries it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlsplit

from fastapi import FastAPI, Request, Response, WebSocket
from loguru import logger
from starlette.middleware.trustedhost import TrustedHostMiddleware

from bot.phone.carriers import Carrier
from bot.phone.handshake import NoStartError, StreamStart, await_start
from bot.phone.signatures import NoSignature, SignedRequest
from bot.phone.tokens import StreamTokens
from bot.web.body import BodyLimit
from bot.web.listen import LOOPBACK_NAMES
from bot.web.sessions import Sessions

OnCall = Callable[[WebSocket, StreamStart], Awaitable[None]]
"""Holds the conversation of one started stream; returns when it has ended."""

CALL_PATH = "/call"

_CLOSE_POLICY = 1008
_CLOSE_BUSY = 1013


class PhoneApp:
    """The ASGI app of one carrier; ``base_url`` is the address the carrier calls."""

    def __init__(
        self,
        carrier: Carrier,
        base_url: str,
        sessions: Sessions,
        on_call: OnCall,
        tokens: StreamTokens | None = None,
    ) -> None:
        self._carrier = carrier
        self._base_url = base_url.rstrip("/")
        self._sessions = sessions
        self._on_call = on_call
        self._tokens = tokens or StreamTokens()
        self._check = carrier.check or NoSignature()
        self.asgi = FastAPI(title="Earshot", docs_url=None, redoc_url=None, openapi_url=None)
        self.asgi.add_middleware(BodyLimit)
        if carrier.check is None:
            # Unsigned, so loopback only: a page in a browser here must not reach it under a
            # name of its own (DNS rebinding).
            own = urlsplit(base_url).hostname or ""
            self.asgi.add_middleware(TrustedHostMiddleware, allowed_hosts=[*LOOPBACK_NAMES, own])
        methods = ["GET"] if carrier.name == "exotel" else ["POST"]
        self.asgi.add_api_route(CALL_PATH, self._webhook, methods=methods)
        self.asgi.add_api_websocket_route("/stream/{token}", self._stream)

    async def _webhook(self, request: Request) -> Response:
        """Answer a call with the address of its stream; 403 when the carrier did not sign."""
        signed = await self._signed_request(request)
        if not self._check.accepts(signed):
            logger.warning("Refused a webhook: its signature is not {}'s", self._carrier.name)
            return Response("The request's signature is not valid.", 403, media_type="text/plain")
        if self._sessions.full:
            return self._busy()
        token = self._tokens.mint(self._call_id(signed))
        answer = self._carrier.stream(f"{_as_socket(self._base_url)}/stream/{token}")
        return Response(answer.body, media_type=answer.media_type)

    def _busy(self) -> Response:
        logger.warning("Refused a call: all {} lines are taken", self._sessions.limit)
        if self._carrier.busy is None:
            return Response("All lines are taken.", 503, media_type="text/plain")
        answer = self._carrier.busy()
        return Response(answer.body, media_type=answer.media_type)

    async def _signed_request(self, request: Request) -> SignedRequest:
        query = f"?{request.url.query}" if request.url.query else ""
        body = await request.body()
        form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        is_form = request.headers.get("content-type", "").startswith(
            "application/x-www-form-urlencoded"
        )
        return SignedRequest(
            url=f"{self._base_url}{request.url.path}{query}",
            headers=dict(request.headers),
            body=body,
            form=form if is_form else None,
        )

    def _call_id(self, signed: SignedRequest) -> str | None:
        field = self._carrier.call_field
        values = (signed.form or {}).get(field, []) if field else []
        return values[0] if values else None

    async def _stream(self, socket: WebSocket, token: str) -> None:
        """Carry one call; refused before the handshake without a fresh token."""
        redeemed = self._tokens.redeem(token)
        if redeemed is None:
            logger.warning("Refused a media stream: its token is unknown, used or stale")
            await socket.close(_CLOSE_POLICY)
            return
        await socket.accept()
        try:
            start = await await_start(socket, self._carrier.name)
        except NoStartError as reason:
            logger.warning("A media stream did not start: {}", reason)
            await _close(socket, _CLOSE_POLICY, "no start message")
            return
        if not redeemed.fits(start.call_id):
            logger.warning("Refused a media stream: its token was made for another call")
            await _close(socket, _CLOSE_POLICY, "wrong call")
        elif self._sessions.full:
            await _close(socket, _CLOSE_BUSY, "all lines are taken")
        else:
            await self._on_call(socket, start)


def _as_socket(url: str) -> str:
    """The same address for WebSocket: https → wss, http → ws."""
    return "ws" + url.removeprefix("http")


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    try:
        await socket.close(code, reason)
    except RuntimeError:
        # starlette raises this when the peer has closed already: what we wanted.
        return
