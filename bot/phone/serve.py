"""``earshot phone``: answer a carrier's calls."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from fastapi import WebSocket
from pipecat.transports.websocket.fastapi import (
    FastAPIWebsocketParams,
    FastAPIWebsocketTransport,
)

from bot.config.schema import PhoneSettings, Settings
from bot.config.secrets import Secrets
from bot.conversation import OVER_A_NETWORK, Conversation
from bot.parts import Notify, Parts, open_parts
from bot.phone.app import CALL_PATH, PhoneApp
from bot.phone.carriers import STREAM_RATE_HZ, Carrier, carrier
from bot.phone.guard import GuardedSerializer
from bot.phone.handshake import StreamStart
from bot.web.listen import bind, is_loopback, server_failure, serving, until_stopped, url_of
from bot.web.sessions import Sessions
from bot.web.stopping import stop_requested
from server.listen import abort
from speech.errors import UsageError
from speech.timeline import Timeline

REPROMPT_S = 15.0
"""Of silence. Systems that wait for a key ask after 5 to 10 s; who looks for a paper needs longer,
and a line that nobody is on costs money."""

_SPACE = re.compile(r"[\s\x00-\x1f]")


async def serve(
    settings: Settings,
    secrets: Secrets,
    *,
    notify: Notify,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Answer calls until Ctrl-C; returns after the goodbyes.

    ``notify`` gets one line with the webhook's address once it answers, ``on_ready`` the
    address alone. A second Ctrl-C raises ``CancelledError``. Raises ``UsageError`` where
    calls would be open to others without a signature check, ``EarshotError`` for a busy
    port or whatever keeps the bot from starting.
    """
    phone = settings.phone
    line = carrier(phone.provider, secrets)
    refuse_bad_url(phone.public_url)
    refuse_unsigned_public(phone, line)
    with bind(phone.host, phone.port, "phone") as sock:
        base_url = phone.public_url or url_of(sock)
        async with open_parts(settings, secrets, notify=notify) as parts:
            # From here on Ctrl-C is a goodbye; before it, while models load, it ends at once.
            with stop_requested() as stop:
                asked = await _serve_until(stop, line, parts, sock, base_url, notify, on_ready)
        if not asked:
            raise server_failure()


async def _serve_until(
    stop: asyncio.Event,
    line: Carrier,
    parts: Parts,
    sock: socket.socket,
    base_url: str,
    notify: Notify,
    on_ready: Callable[[str], None] | None,
) -> bool:
    """False when the server ended before ``stop``."""
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(parts.settings.phone.max_calls, group, notify)
        app = PhoneApp(line, base_url, sessions, _Switchboard(parts, line, sessions).converse)
        async with serving(app.asgi, sock) as server:
            _announce(base_url.rstrip("/") + CALL_PATH, line, notify, on_ready)
            asked = await until_stopped(stop, server)
            await sessions.end_all()
    return asked


def refuse_bad_url(url: str | None) -> None:
    """Raise ``UsageError`` where ``phone.public_url`` is no address a carrier could call."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
        good = bool(parts.scheme in ("https", "http") and parts.hostname and parts.port != 0)
    except ValueError:  # a port that is no number or too large, half an IPv6 address
        good = False
    if not good or parts.query or parts.fragment or "@" in parts.netloc or _SPACE.search(url):
        raise UsageError(
            "phone.public_url: expected the address the carrier calls, such as "
            "https://bot.example.com or https://bot.example.com:8443/voice (no query, no password)."
        )


def refuse_unsigned_public(phone: PhoneSettings, line: Carrier) -> None:
    """Raise ``UsageError`` where strangers could reach an unsigned webhook, or the URL to
    sign is unknown."""
    public = not is_loopback(phone.host)
    if line.check is None and (public or phone.public_url):
        where = "phone.public_url is set" if phone.public_url else f"phone.host is {phone.host}"
        raise UsageError(
            f"{where}, but {' and '.join(line.needs)} is not: without it anyone could call. "
            "Set it in the environment, or listen on 127.0.0.1 without phone.public_url."
        )
    if public and not phone.public_url:
        raise UsageError(
            "Set phone.public_url to the address the carrier calls (https://…): its signature "
            "is made with that address."
        )


def _announce(
    url: str, line: Carrier, notify: Notify, on_ready: Callable[[str], None] | None
) -> None:
    unsigned = "" if line.check else " No credentials: requests are not checked, loopback only."
    notify(f"Waiting for {line.name} calls at {url}. Ctrl-C ends.{unsigned}")
    if on_ready:
        on_ready(url)


class _Switchboard:
    """Puts each started stream through to a conversation of its own."""

    def __init__(self, parts: Parts, line: Carrier, sessions: Sessions) -> None:
        self._parts = parts
        self._line = line
        self._sessions = sessions

    async def converse(self, stream: WebSocket, start: StreamStart) -> None:
        """Talk until either side hangs up or the call has lasted ``phone.max_call_s``."""
        left = asyncio.Event()
        transport = FastAPIWebsocketTransport(stream, self._params(stream, start, left))
        conversation = Conversation(
            self._parts,
            transport,
            Timeline(),
            wait_for_client=True,
            reprompt_s=REPROMPT_S,
            limits=OVER_A_NETWORK,
            echo_path=False,  # the network and the handset cancel it
        )

        async def on_connected(*_: Any) -> None:
            conversation.client_ready()

        async def on_disconnected(*_: Any) -> None:
            left.set()

        transport.add_event_handler("on_client_connected", on_connected)
        transport.add_event_handler("on_client_disconnected", on_disconnected)
        max_s = self._parts.settings.phone.max_call_s
        call = self._sessions.start(conversation, left, max_s=max_s)
        await asyncio.wait({call})

    def _params(
        self, stream: WebSocket, start: StreamStart, stopped: asyncio.Event
    ) -> FastAPIWebsocketParams:
        return FastAPIWebsocketParams(
            serializer=GuardedSerializer(
                self._line.serializer(start),
                stopped,
                partial(abort, stream),
                self._line.bytes_per_s,
            ),
            audio_in_enabled=True,
            audio_out_enabled=True,
            audio_out_sample_rate=STREAM_RATE_HZ,
            audio_out_10ms_chunks=self._line.chunk_10ms,
            audio_out_end_silence_secs=0,
            allowed_origins=[],  # carriers send no Origin; the token in the path is the key
        )
