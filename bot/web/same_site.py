"""A bound on who may change something: programs, and pages of this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_READS = frozenset({"GET", "HEAD", "OPTIONS"})


class SameSite:
    """ASGI middleware: refuses what a page of another site makes a browser send.

    A browser sends a POST of plain text or a form to any server without asking that server
    first, and names the page's site in ``Origin``. So a request that is no mere read must
    carry JSON (415 otherwise), and its origin, where it has one, must be the host that it
    was sent to (403 otherwise).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)


def _refusal(scope: Scope) -> JSONResponse | None:
    headers = Headers(scope=scope)
    if scope["method"] in _READS:
        return None
    if "origin" in headers and not _is_origin(headers["origin"], headers.get("host", "")):
        return JSONResponse({"detail": "Pages of other sites may not talk to this server."}, 403)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return JSONResponse({"detail": "The body must be sent as application/json."}, 415)
    return None


def _is_origin(origin: str, host: str) -> bool:
    """Whether ``origin`` is on ``host``; its scheme may differ, for a proxy may add TLS."""
    try:
        return urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return False
