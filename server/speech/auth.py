"""Who may use the server: bearer tokens, and pages of other sites."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from speech.errors import UsageError
from speech.wire.token import is_token

OPEN_PATHS = frozenset({"/ping"})
"""A health check carries no token, and learns no more than that the server is ready."""

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

LEAST_TOKEN_CHARS = 16


class Tokens:
    """The tokens that open the server: some given, some in a file that may change.

    The file has one a line; ``#`` begins a comment. It is read again when it has changed, so
    that a token is added, and later the old one removed, without a restart. Raises
    ``UsageError`` for a file that cannot be read, for a token under ``LEAST_TOKEN_CHARS`` and
    for one that no header carries.
    """

    def __init__(self, given: Iterable[str] = (), file: Path | None = None) -> None:
        self._given = [_checked(token, "EARSHOT_SERVE_TOKENS") for token in given]
        self._file = file
        self._stamp: tuple[int, int] | None = None
        self._from_file: list[bytes] = []
        if file is not None:
            self._reread(file)

    def __bool__(self) -> bool:
        return bool(self._given or self._file)

    def opens(self, token: str) -> bool:
        """Whether it is one of them; takes as long whichever it is."""
        if self._file is not None:
            self._follow(self._file)
        offered = token.encode("utf-8", "replace")
        matches = [hmac.compare_digest(offered, known) for known in self._given + self._from_file]
        return any(matches)

    def _follow(self, file: Path) -> None:
        """Take the file as it is now; a file that cannot be read, or is wrong, changes nothing."""
        try:
            self._reread(file)
        except UsageError:
            return

    def _reread(self, file: Path) -> None:
        try:
            state = file.stat()
            stamp = (state.st_mtime_ns, state.st_size)
            if stamp != self._stamp:
                lines = file.read_text(encoding="utf-8").splitlines()
                self._from_file = _tokens(lines, str(file))
                self._stamp = stamp
        except (OSError, UnicodeError) as error:
            raise UsageError(f"serve.tokens_file {file}: {error}") from None


def _tokens(lines: list[str], source: str) -> list[bytes]:
    words = (line.partition("#")[0].strip() for line in lines)
    return [_checked(word, source) for word in words if word]


def _checked(token: str, source: str) -> bytes:
    if len(token) < LEAST_TOKEN_CHARS:
        raise UsageError(
            f"{source} has a token under {LEAST_TOKEN_CHARS} characters: "
            "make one with: openssl rand -hex 32"
        )
    if not is_token(token):
        raise UsageError(
            f"{source} has a token with a space or beyond ASCII, which nobody could send: "
            "make one with: openssl rand -hex 32"
        )
    return token.encode()


class Guard:
    """ASGI middleware: 401 without a token where there are any, 403 for pages of other sites.

    A WebSocket is refused before it is one. A browser names a page's site in ``Origin``: it
    must be this host or one of ``origins``; programs send none.
    """

    def __init__(self, app: ASGIApp, tokens: Tokens, origins: Iterable[str] = ()) -> None:
        self._app, self._tokens, self._origins = app, tokens, frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin and origin not in self._origins and not self._ours(origin, headers):
            return JSONResponse({"error": "pages of other sites may not use this server"}, 403)
        if scope.get("method") == "OPTIONS" or scope["path"] in OPEN_PATHS or not self._tokens:
            return None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._tokens.opens(token.strip()):
            return None
        challenge = {"WWW-Authenticate": 'Bearer realm="earshot"'}
        return JSONResponse({"error": "a bearer token is needed"}, 401, challenge)

    def _ours(self, origin: str, headers: Headers) -> bool:
        """A page of this host, whatever its port.

        Where no token is asked the host must be called by a loopback name: a stranger's name may
        be made to lead here while his page is open.
        """
        try:
            host = urlsplit(f"//{headers.get('host', '')}").hostname
            same = host is not None and urlsplit(origin).hostname == host
        except ValueError:
            return False
        return same and (bool(self._tokens) or host in LOOPBACK_NAMES)
