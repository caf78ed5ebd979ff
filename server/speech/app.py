"""The ASGI application."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from server.speech.auth import Guard, Tokens
from server.speech.invocations import Invocations
from server.speech.openai_speech import OpenAiSpeech
from server.speech.service import Saturated, SpeechService
from server.speech.session import SpeechSession
from speech.wire import SAMPLE_RATES, VERSION
from speech.wire.schema import kept

SESSION_PATH = "/invocations-bidirectional-stream"
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class SpeechServer:
    """Every route of the speech server, for one service.

    ``tokens`` are asked of everyone (but for /ping) where there are any; ``origins`` are the
    sites whose pages may use the server (CORS); none by default.
    """

    def __init__(
        self, service: SpeechService, tokens: Tokens | None = None, origins: Iterable[str] = ()
    ) -> None:
        self.service = service
        origins = list(origins)
        middleware = [Middleware(Guard, tokens=tokens or Tokens(), origins=origins)]
        if origins:
            cors = Middleware(
                CORSMiddleware,
                allow_origins=origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type"],
            )
            middleware.insert(0, cors)
        self.asgi = Starlette(routes=self._routes(), middleware=middleware)

    def _routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/ping", self._ping),
            Route("/metrics", self._metrics),
            Route("/voices", self._voices),
            Route("/version", self._version),
            Route("/schema", self._schema),
            Route("/invocations", Invocations(self.service), methods=["POST"]),
            Route("/v1/audio/speech", OpenAiSpeech(self.service), methods=["POST"]),
            WebSocketRoute(SESSION_PATH, self._session),
        ]

    async def _ping(self, _: Request) -> Response:
        ready = self.service.ready
        return PlainTextResponse("OK" if ready else "not ready", 200 if ready else 503)

    async def _metrics(self, _: Request) -> Response:
        return Response(self.service.metrics.text(), media_type=_METRICS_TYPE)

    async def _voices(self, _: Request) -> Response:
        names = self.service.engine.voices()
        return JSONResponse({"voices": names, "default": self.service.voice})

    async def _version(self, _: Request) -> Response:
        try:
            release = version("earshot")
        except PackageNotFoundError:
            release = "unknown"
        return JSONResponse(
            {
                "version": release,
                "model": self.service.model,
                "protocols": [0, VERSION],
                "rates": list(SAMPLE_RATES),
            }
        )

    async def _schema(self, _: Request) -> Response:
        return Response(kept(), media_type="application/schema+json")

    async def _session(self, socket: WebSocket) -> None:
        session = SpeechSession(self.service, socket)
        try:
            with self.service.session(session):
                await socket.accept()
                await session.run()
        except Saturated as error:
            await socket.send_denial_response(
                JSONResponse(
                    {"error": error.why},
                    503,
                    {"Retry-After": str(round(error.retry_after_s))},
                )
            )
