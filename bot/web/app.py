"""The page's routes: our page, pipecat's prebuilt one, ``/start`` and the WebRTC offer."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, HTTPException, Request
from fastapi.staticfiles import StaticFiles
from loguru import logger
from pipecat.transports.smallwebrtc.connection import IceServer, SmallWebRTCConnection
from pipecat.transports.smallwebrtc.request_handler import (
    SmallWebRTCPatchRequest,
    SmallWebRTCRequest,
    SmallWebRTCRequestHandler,
)
from pydantic import TypeAdapter, ValidationError
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response

from bot.config.schema import WebSettings
from bot.web.body import MAX_BODY_BYTES, BodyLimit
from bot.web.listen import LOOPBACK_NAMES
from bot.web.same_site import SameSite
from bot.web.sessions import Sessions
from bot.web.untrusted import NotJsonError, read_json

T = TypeVar("T")

OnConnection = Callable[[SmallWebRTCConnection], Awaitable[None]]
"""Starts a conversation on a peer connection that was just answered."""

OWN_PAGE = Path(__file__).with_name("page")

CONTENT_POLICY = "default-src 'self'; media-src 'self' blob:; img-src 'self' data:"

CLOSE_S = 1.0

_PATCH = TypeAdapter(SmallWebRTCPatchRequest)


class WebApp:
    """One page server: ``asgi`` to serve, ``aclose`` when no session is left."""

    def __init__(
        self,
        web: WebSettings,
        sessions: Sessions,
        on_connection: OnConnection,
        *,
        talk_key: bool = False,
    ) -> None:
        """``talk_key``: the page shows a key to hold while speaking."""
        self._web = web
        self._talk_key = talk_key
        self._sessions = sessions
        self._on_connection = on_connection
        self._connections: list[SmallWebRTCConnection] = []
        servers = [IceServer(urls=url) for url in web.ice_servers]
        self._peers = SmallWebRTCRequestHandler(ice_servers=servers or None)
        self.asgi = self._build()

    async def aclose(self) -> None:
        """Close what peer connections are left; idempotent."""
        await asyncio.gather(*(close(connection) for connection in self._connections))

    def _build(self) -> FastAPI:
        app = FastAPI(title="Earshot", docs_url=None, redoc_url=None, openapi_url=None)
        # A site the user visits can point a name of its own at 127.0.0.1 (DNS rebinding);
        # the Host header gives it away.
        hosts = ["*"] if self._web.allow_public else [*LOOPBACK_NAMES, self._web.host]
        app.add_middleware(SameSite)
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts)
        app.add_middleware(BodyLimit)
        app.add_api_route("/status", self._status, methods=["GET"])
        app.add_api_route("/start", self._start, methods=["POST"])
        for path in ("/api/offer", "/sessions/{session_id}/api/offer"):
            app.add_api_route(path, self._offer, methods=["POST"])
            app.add_api_route(path, self._candidates, methods=["PATCH"])
        if prebuilt := prebuilt_page():
            app.mount("/client", StaticFiles(directory=prebuilt, html=True))
        app.mount("/", OwnPage(directory=OWN_PAGE, html=True))
        return app

    async def _status(self) -> dict[str, Any]:
        return {
            "status": "ready",
            "transports": ["webrtc"],
            "sessions": len(self._sessions),
            "max_sessions": self._sessions.limit,
        }

    async def _start(self) -> dict[str, Any]:
        """A page asks here first; the session itself begins with the offer."""
        self._refuse_when_full()
        servers = [{"urls": [url]} for url in self._web.ice_servers]
        return {
            "sessionId": str(uuid.uuid4()),
            "iceConfig": {"iceServers": servers},
            "talkKey": self._talk_key,
        }

    async def _offer(self, request: Request) -> dict[str, str] | None:
        fields = await _json_object(request)
        try:
            offer = SmallWebRTCRequest.from_dict(fields)
        except TypeError:
            raise HTTPException(422, "An offer has sdp, type and perhaps pc_id.") from None
        if offer.type != "offer" or "m=audio" not in str(offer.sdp):
            # aiortc answers any text; a session without sound would hold a place for nothing.
            raise HTTPException(400, "The body is no WebRTC offer with audio.")
        if self._is_live(offer.pc_id):
            return await self._answer(offer)
        offer.pc_id = None
        self._refuse_when_full()
        with self._sessions.hold():
            return await self._answer(offer)

    async def _answer(self, offer: SmallWebRTCRequest) -> dict[str, str] | None:
        return await _usable("offer", self._peers.handle_web_request(offer, self._welcome))

    async def _welcome(self, connection: SmallWebRTCConnection) -> None:
        self._connections.append(connection)
        try:
            await self._on_connection(connection)
        except Exception:
            await close(connection)
            raise

    def _is_live(self, pc_id: str | None) -> bool:
        """Whether an offer with this id is about a connection that has its place already."""
        self._connections = [c for c in self._connections if c.pc.connectionState != "closed"]
        return any(c.pc_id == pc_id for c in self._connections)

    async def _candidates(self, request: Request) -> dict[str, str]:
        try:
            patch = _PATCH.validate_python(await _json_object(request))
        except ValidationError:
            raise HTTPException(422, "A patch has pc_id and candidates.") from None
        await _usable("candidates", self._peers.handle_patch_request(patch))
        return {"status": "success"}

    def _refuse_when_full(self) -> None:
        if self._sessions.full:
            raise HTTPException(
                503, f"All {self._sessions.limit} conversations are taken; try again in a moment."
            )


async def close(connection: SmallWebRTCConnection) -> None:
    """Tell the peer that we leave and close its connection, within ``CLOSE_S``; idempotent."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_S):  # a TURN server is told too, and may not answer
            await connection.disconnect()


async def _json_object(request: Request) -> dict[str, Any]:
    try:
        fields = read_json(await request.body(), MAX_BODY_BYTES)
    except NotJsonError:
        raise HTTPException(400, "The body is no JSON.") from None
    if not isinstance(fields, dict):
        raise HTTPException(422, "The body must be a JSON object.")
    return fields


async def _usable(what: str, use: Awaitable[T]) -> T:
    """The result of ``use``; 400 where WebRTC cannot make sense of the peer's ``what``."""
    try:
        return await use
    except HTTPException:
        raise
    # Broad on purpose: for a description that a stranger made up aiortc raises about
    # anything, AssertionError included. It is the peer's fault, not the server's.
    except Exception as error:
        logger.warning("WebRTC could not use a peer's {}: {}", what, type(error).__name__)
        raise HTTPException(400, f"WebRTC cannot use the {what}.") from None


class OwnPage(StaticFiles):
    """Our page, which the browser lets talk to this server only."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Content-Security-Policy"] = CONTENT_POLICY
        response.headers["Cache-Control"] = "no-cache"
        return response


def prebuilt_page() -> Path | None:
    """The folder of pipecat's prebuilt client; None where its package is not installed.

    Found without importing ``pipecat_ai_prebuilt.frontend``, which prints as it is imported.
    """
    spec = importlib.util.find_spec("pipecat_ai_prebuilt")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        page = Path(folder) / "client" / "dist"
        if (page / "index.html").is_file():
            return page
    return None
