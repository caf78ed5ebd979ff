"""``earshot serve``: this machine's voice for others, over HTTP and WebSocket."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from loguru import logger

from bot.config.schema import ServeSettings, Settings
from bot.config.secrets import Secrets
from bot.config.voice import TtsSettings
from bot.voice import LOCAL, Notify, build_voice
from bot.web.listen import bind, is_loopback, server_failure, until_stopped, url_of
from bot.web.stopping import stop_requested
from server.speech.app import SpeechServer
from server.speech.auth import Tokens
from server.speech.limits import ServerLimits
from server.speech.listen import SpeechUvicorn
from server.speech.service import SpeechService
from server.speech.voices import KEPT as VOICES_KEPT
from speech.engine import SpeechEngine
from speech.errors import EarshotError, UsageError
from speech.kokoro.engine import KokoroEngine
from speech.redact import place_of
from speech.scheduler.limits import Limits
from speech.spoken.engine import SpokenEngine

TOKENS_NAME = "EARSHOT_SERVE_TOKENS"
WARMUP_TEXT = "Warming up."
SPOKEN_PER_WRITTEN = 8
"""A figure of a few characters is said in a line of words; the written text has its own bound."""
_BORN_S = time.time()


class Stages:
    """Marks of the start on standard output, which whoever operates a container times it by.

    ``elapsed_s`` counts from CONTAINER_START_EPOCH where that is set.
    """

    def __init__(self, emit: Notify, environ: Mapping[str, str]) -> None:
        self._emit = emit
        self._begun_s = number_of(environ, "CONTAINER_START_EPOCH", _BORN_S)

    def reached(self, name: str) -> None:
        """This stage has been reached now."""
        now = datetime.now(UTC)
        stamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        elapsed_s = max(0.0, now.timestamp() - self._begun_s)
        self._emit(f"=== STAGE {name} t={stamp} elapsed_s={elapsed_s:.3f} ===")


async def serve(
    settings: Settings,
    secrets: Secrets,
    *,
    notify: Notify,
    mark: Notify = print,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then let what is being said end.

    ``notify`` gets a line with the address once the server is warm, ``on_ready`` the address
    alone, ``mark`` the marks of the start. A second Ctrl-C raises ``CancelledError``. Raises
    ``UsageError`` for a server that would be open to anyone and for bad token or TLS files,
    ``EarshotError`` for a busy port or whatever keeps the engine from starting.
    """
    serving = settings.serve
    refuse_remote(settings.tts)
    tokens = Tokens(tokens_of(secrets), serving.tokens_file)
    refuse_public(serving, tokens)
    check_tls(serving)
    stages = Stages(mark, secrets.values)
    stages.reached("framework_init")
    with bind(serving.host, serving.port, "serve") as sock:
        engine = build_voice(settings, notify)
        bound_engine(engine, serving)
        limits = limits_of(serving, secrets.values)
        service = SpeechService(engine, limits, voice=serving.voice or settings.tts.voice)
        app = SpeechServer(service, tokens, serving.origins).asgi
        uvicorn = SpeechUvicorn(
            app,
            limits,
            metrics=service.metrics,
            certificate=serving.certificate,
            key=serving.key,
        )
        url = url_of(sock, "https" if serving.certificate else "http")
        with stop_requested() as stop:
            server = asyncio.create_task(uvicorn.serve(sockets=[sock]), name="speech-server")
            try:
                text = secrets.values.get("WARMUP_TEXT") or WARMUP_TEXT
                await _unless(stop, _warm_up(service, stages, text))
                if service.ready:
                    notify(f"Speaking at {url}. Ctrl-C ends.")
                    if on_ready:
                        on_ready(url)
                asked = await until_stopped(stop, server)
                if service.ready:
                    await _drain(service, notify)
            finally:
                uvicorn.should_exit = True
                await asyncio.wait({server})
                await engine.aclose()
        if not asked:
            raise server_failure()


async def _unless(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> None:
    """Do the work, unless the end is asked for before it is done."""
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        working.cancel()
        stopping.cancel()
        await asyncio.wait({working, stopping})


async def _drain(service: SpeechService, notify: Notify) -> None:
    notify("Stopping: what is being said is said.")
    if not await service.drain():
        logger.warning("Some speech was cut: it did not end in time")


async def _warm_up(service: SpeechService, stages: Stages, text: str) -> None:
    """Load the model and speak a line to nobody; only the first may fail."""
    await service.engine.start()
    stages.reached("weights_ready")
    try:
        await _say(service, text)
    except EarshotError as error:
        logger.warning("The warm-up failed: {}", place_of(error))
    stages.reached("warmup_done")
    service.be_ready()
    stages.reached("ready")


async def _say(service: SpeechService, text: str) -> None:
    await service.engine.calibrate(service.voice)
    async with service.speaking(service.voice, 1.0) as session:
        async for _ in session.speak("warm-up", text):
            pass


def tokens_of(secrets: Secrets) -> list[str]:
    """Those in the environment or ``.env``, parted by commas or blanks."""
    return (secrets.get(TOKENS_NAME) or "").replace(",", " ").split()


def refuse_remote(tts: TtsSettings) -> None:
    """Raise ``UsageError`` for a voice that is elsewhere: the server would speak through another,
    or through itself."""
    remote = [engine for engine in tts.engines if engine not in LOCAL]
    if remote:
        raise UsageError(
            f"earshot serve gives this machine's own voice, and {remote[0]} is another's: "
            f"set tts.engine to {' or '.join(LOCAL)}, and tts.fallback to null or one of these."
        )


def refuse_public(serving: ServeSettings, tokens: Tokens) -> None:
    """Raise ``UsageError`` where anyone could use the server without anyone's wish."""
    if not (is_loopback(serving.host) or tokens or serving.allow_public):
        raise UsageError(
            f"serve.host {serving.host} would let anyone on the network use the server: set "
            f"{TOKENS_NAME} or serve.tokens_file, or serve.allow_public to true where something "
            "in front asks who calls (SageMaker does)."
        )


def check_tls(serving: ServeSettings) -> None:
    """Raise ``UsageError`` for a certificate without key, or files that are none."""
    if serving.certificate is None and serving.key is None:
        return
    if serving.certificate is None:
        raise UsageError("serve.key is set and serve.certificate is not.")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(serving.certificate, serving.key, password="")
    except (OSError, ValueError) as error:
        raise UsageError(f"serve.certificate, serve.key: {error}") from None


def limits_of(serving: ServeSettings, environ: Mapping[str, str]) -> ServerLimits:
    """The configured bounds, and the reference container's variables over them."""
    limits = ServerLimits(
        text_chars=serving.max_text_chars,
        units_queued=serving.max_units,
        sessions=serving.max_sessions,
        requests=int(number_of(environ, "MAX_QUEUE_DEPTH", serving.max_requests)),
        arrival_s=serving.arrival_s,
        first_message_s=serving.first_message_s,
        session_s=serving.session_s,
        idle_s=serving.idle_s,
        request_age_s=number_of(environ, "MAX_REQUEST_AGE_S", serving.request_age_s),
        drain_s=serving.drain_s,
    )
    served = limits.sessions + (limits.requests or ServerLimits().requests)
    return replace(limits, connections=serving.max_connections or 2 * served)


def bound_engine(engine: SpeechEngine, serving: ServeSettings) -> None:
    """Have the engine refuse what it could not say in time; only Kokoro knows that of itself."""
    inner = engine.engine if isinstance(engine, SpokenEngine) else engine
    if isinstance(inner, KokoroEngine):
        connections = serving.max_sessions + serving.max_requests
        inner.limits = Limits(
            text_characters=SPOKEN_PER_WRITTEN * serving.max_text_chars,
            units=serving.max_units,
            sessions=VOICES_KEPT * connections,
            first_audio_s=serving.first_audio_s,
        )


def number_of(environ: Mapping[str, str], name: str, default: float) -> float:
    """A variable that is no number of zero or more is as wrong as a key of the file."""
    text = environ.get(name, "").strip()
    try:
        number = float(text) if text else default
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise UsageError(f"{name}={text}: expected a number of zero or more.")
    return number
