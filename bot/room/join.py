"""``earshot room``: join a room and talk to who is in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pipecat.transports.base_transport import BaseTransport

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.conversation import OVER_A_NETWORK, Conversation
from bot.parts import Notify, open_parts
from bot.room.daily import daily_room
from bot.room.livekit import livekit_room
from bot.web.sessions import Sessions
from bot.web.stopping import stop_requested
from speech.errors import EarshotError
from speech.timeline import Timeline

JOIN_DEADLINE_S = 20.0
"""From the transport's start to being in the room."""

_ROOMS = {"livekit": livekit_room, "daily": daily_room}


async def join(settings: Settings, secrets: Secrets, *, notify: Notify) -> None:
    """Be in the configured room until Ctrl-C or until everyone else has left.

    ``notify`` gets one line once the bot is in the room. A second Ctrl-C raises
    ``CancelledError``. Raises ``UsageError`` for what is missing from the configuration,
    ``EarshotError`` when the room cannot be joined.
    """
    left = asyncio.Event()
    open_room = _ROOMS[settings.room.provider]
    transport, place = await open_room(settings.room, secrets, settings.bot.name, left)
    joined = _joined(transport, lambda: notify(f"In the {place}. Ctrl-C leaves."))
    async with open_parts(settings, secrets, notify=notify) as parts:
        # From here on Ctrl-C is a goodbye; before it, while models load, it ends at once.
        with stop_requested() as stop:
            conversation = Conversation(
                parts,
                transport,
                Timeline(),
                wait_for_client=True,
                limits=OVER_A_NETWORK,
            )
            _greet_first(transport, conversation)
            async with asyncio.TaskGroup() as group:
                sessions = Sessions(1, group, notify)
                talk = sessions.start(conversation, left)
                await _until_done(talk, joined, left, stop)
                await sessions.end_all()
        if not joined.is_set() and not stop.is_set():
            raise EarshotError(f"Could not join the {place}: run again with --debug to see why.")


def _joined(transport: BaseTransport, tell: Callable[[], None]) -> asyncio.Event:
    joined = asyncio.Event()

    async def on_connected(*_: Any) -> None:
        joined.set()
        tell()

    transport.add_event_handler("on_connected", on_connected)
    return joined


def _greet_first(transport: BaseTransport, conversation: Conversation) -> None:
    async def on_first(*_: Any) -> None:
        conversation.client_ready()

    transport.add_event_handler("on_first_participant_joined", on_first)


async def _until_done(
    talk: asyncio.Task[None], joined: asyncio.Event, left: asyncio.Event, stop: asyncio.Event
) -> None:
    """Until the talk has ended, someone pressed Ctrl-C, or the room was not joined in time."""

    def give_up_unless_joined() -> None:
        if not joined.is_set():
            left.set()

    give_up = asyncio.get_running_loop().call_later(JOIN_DEADLINE_S, give_up_unless_joined)
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({talk, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        give_up.cancel()
