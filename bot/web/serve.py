"""``earshot web``: serve the page and hold a conversation with each visitor."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pipecat.processors.frameworks.rtvi.models import ClientMessage
from pipecat.transports.base_transport import TransportParams
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection
from pipecat.transports.smallwebrtc.transport import SmallWebRTCTransport

from bot.barge_in import PUSH_TO_TALK
from bot.config.schema import Settings, WebSettings
from bot.config.secrets import Secrets
from bot.conversation import OVER_A_NETWORK, Conversation
from bot.parts import Notify, Parts, open_parts
from bot.web.app import WebApp, close
from bot.web.ice import allow_loopback, notice_lost_peers
from bot.web.listen import bind, is_loopback, server_failure, serving, until_stopped, url_of
from bot.web.sessions import Conversing, Sessions
from bot.web.stopping import stop_requested
from speech.errors import UsageError
from speech.timeline import Timeline

CONNECT_DEADLINE_S = 15.0
"""An answered offer whose media never arrives gives its place back after this long."""

READY_GRACE_S = 3.0
"""A page that does not say it is ready is greeted this long after its media connected."""


async def serve(
    settings: Settings,
    secrets: Secrets,
    *,
    notify: Notify,
    open_browser: bool = False,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the page until Ctrl-C; returns after the goodbyes.

    ``notify`` gets one line with the address once the page answers, ``on_ready`` the address
    alone. A second Ctrl-C raises ``CancelledError``. Raises ``UsageError`` for a host that
    would open the page to others, ``EarshotError`` for a busy port or whatever keeps the bot
    from starting.
    """
    refuse_public(settings.web)
    allow_loopback()
    notice_lost_peers()

    async def announce(url: str) -> None:
        notify(f"Open {url} and press Connect. Ctrl-C ends.")
        if on_ready:
            on_ready(url)
        if open_browser:
            await asyncio.to_thread(webbrowser.open, url)

    with bind(settings.web.host, settings.web.port, "web") as sock:
        async with open_parts(settings, secrets, notify=notify) as parts:
            # From here on Ctrl-C is a goodbye; before it, while models load, it ends at once.
            with stop_requested() as stop:
                asked = await _serve_until(stop, settings.web, parts, sock, notify, announce)
        if not asked:
            raise server_failure()


async def _serve_until(
    stop: asyncio.Event,
    web: WebSettings,
    parts: Parts,
    sock: socket.socket,
    notify: Notify,
    announce: Callable[[str], Awaitable[None]],
) -> bool:
    """False when the server ended before ``stop``."""
    async with asyncio.TaskGroup() as group:
        sessions = Sessions(web.max_sessions, group, notify)
        talk_key = parts.settings.barge_in.policy == PUSH_TO_TALK
        page = WebApp(web, sessions, _Greeter(parts, sessions).welcome, talk_key=talk_key)
        async with serving(page.asgi, sock) as server:
            await announce(url_of(sock))
            asked = await until_stopped(stop, server)
            await sessions.end_all()
            await page.aclose()
    return asked


def refuse_public(web: WebSettings) -> None:
    """Raise ``UsageError`` where the page would be open to others without anyone's wish."""
    if not (is_loopback(web.host) or web.allow_public):
        raise UsageError(
            f"web.host {web.host} would let anyone on the network talk to the bot (the page has "
            "no sign-in): use 127.0.0.1, or set web.allow_public to true."
        )


@dataclass
class Visit:
    """A conversation that ends with its connection closed.

    pipecat leaves one open whose page has not been heard of for three seconds, or never.
    """

    conversation: Conversing
    connection: SmallWebRTCConnection

    async def run(self) -> None:
        try:
            await self.conversation.run()
        finally:
            await close(self.connection)

    async def end(self, *, goodbye: bool = True) -> None:
        await self.conversation.end(goodbye=goodbye)

    async def cancel(self) -> None:
        await self.conversation.cancel()


class _Greeter:
    """Starts a conversation for every new peer connection."""

    def __init__(self, parts: Parts, sessions: Sessions) -> None:
        self._parts = parts
        self._sessions = sessions

    async def welcome(self, connection: SmallWebRTCConnection) -> None:
        transport = SmallWebRTCTransport(
            webrtc_connection=connection,
            params=TransportParams(
                audio_in_enabled=True, audio_out_enabled=True, audio_out_end_silence_secs=0
            ),
        )
        conversation = Conversation(
            self._parts,
            transport,
            Timeline(),
            wait_for_client=True,
            rtvi=True,
            limits=OVER_A_NETWORK,
        )
        left = asyncio.Event()
        _follow(conversation, transport, left)
        self._sessions.start(Visit(conversation, connection), left)


def _follow(
    conversation: Conversation, transport: SmallWebRTCTransport, left: asyncio.Event
) -> None:
    """Tie the conversation to its page: greet when it can hear, end when it is gone."""
    loop = asyncio.get_running_loop()
    give_up = loop.call_later(CONNECT_DEADLINE_S, left.set)

    async def on_connected(*_: Any) -> None:
        give_up.cancel()
        loop.call_later(READY_GRACE_S, conversation.client_ready)

    async def on_ready(*_: Any) -> None:
        conversation.client_ready()

    async def on_disconnected(*_: Any) -> None:
        left.set()

    async def on_message(_: Any, message: ClientMessage) -> None:
        conversation.talk_key(down=bool(message.data))  # visitors send nothing else

    transport.add_event_handler("on_client_connected", on_connected)
    transport.add_event_handler("on_client_disconnected", on_disconnected)
    conversation.worker.rtvi.add_event_handler("on_client_ready", on_ready)
    conversation.worker.rtvi.add_event_handler("on_client_message", on_message)
