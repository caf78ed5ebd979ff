"""A LiveKit room: its token and its transport."""

from __future__ import annotations

import asyncio
import datetime
import secrets as random
from typing import TYPE_CHECKING, Any

import httpx
from pipecat.transports.base_transport import BaseTransport

from bot.config.schema import RoomSettings
from bot.config.secrets import Secrets
from bot.room.extra import need_extra
from bot.room.reach import check_reachable
from speech.errors import EarshotError, UsageError

if TYPE_CHECKING:
    from pipecat.transports.livekit.transport import LiveKitTransport

OUTPUT_QUEUE_MS = 200
"""LiveKit's default of 1000 would play a second after a barge-in and run the heard record
ahead by as much; 200 covers the loop's hiccups."""

VALIDATE_TIMEOUT_S = 10.0

TOKEN_LIFE = datetime.timedelta(hours=6)
"""Checked when joining and when reconnecting; no conversation is longer."""


async def livekit_room(
    room: RoomSettings, secrets: Secrets, name: str, everyone_left: asyncio.Event
) -> tuple[BaseTransport, str]:
    """The transport for the configured room and a line that says where it is.

    ``everyone_left`` is set when the last other participant leaves. Raises ``UsageError``
    for what is not configured, ``EarshotError`` when the server cannot be reached.
    """
    need_extra("livekit", "livekit.api")
    from pipecat.transports.livekit.transport import LiveKitParams, LiveKitTransport

    url = room.url or secrets.get("LIVEKIT_URL")
    key, secret = secrets.get("LIVEKIT_API_KEY"), secrets.get("LIVEKIT_API_SECRET")
    if not url or not room.room:
        raise UsageError("Set room.url (or LIVEKIT_URL) and room.room to the room to join.")
    if not key or not secret:
        raise UsageError("Set LIVEKIT_API_KEY and LIVEKIT_API_SECRET in the environment or .env.")
    await check_reachable(url)
    token = room_token(room.room, name, key, secret)
    await check_token(url, token)
    transport = LiveKitTransport(
        url,
        token,
        room.room,
        LiveKitParams(
            audio_in_enabled=True,
            audio_in_user_tracks=False,  # one recogniser hears the room as one stream
            audio_out_enabled=True,
            audio_out_queue_size_ms=OUTPUT_QUEUE_MS,
            audio_out_end_silence_secs=0,
        ),
    )
    _watch(transport, everyone_left)
    return transport, f"LiveKit room {room.room!r} at {url}"


def room_token(room: str, name: str, key: str, secret: str) -> str:
    """A signed token for this room alone: to join, speak, listen and send data.

    The identity is new each time: LiveKit throws out the earlier of two equal ones.
    """
    from livekit import api

    grants = api.VideoGrants(
        room_join=True,
        room=room,
        agent=True,
        can_publish=True,
        can_publish_data=True,
        can_subscribe=True,
    )
    token = api.AccessToken(key, secret).with_identity(f"{name}-{random.token_hex(4)}")
    return token.with_name(name).with_ttl(TOKEN_LIFE).with_grants(grants).to_jwt()


async def check_token(url: str, token: str) -> None:
    """Ask the server whether it would let this token in.

    LiveKit's own clients ask the same when a connection fails; asked first, it gives one
    line instead of a minute of retries. Raises ``EarshotError``.
    """
    address = f"http{url.removeprefix('ws').removeprefix('http').rstrip('/')}/rtc/validate"
    try:
        async with httpx.AsyncClient(timeout=VALIDATE_TIMEOUT_S) as client:
            reply = await client.get(address, params={"access_token": token})
    except httpx.HTTPError as error:
        raise EarshotError(
            f"The LiveKit server at {url} did not answer ({type(error).__name__}): check room.url."
        ) from None
    if reply.status_code in (401, 403):
        raise EarshotError(
            f"LiveKit at {url} refused the token (HTTP {reply.status_code}): check "
            "LIVEKIT_API_KEY and LIVEKIT_API_SECRET."
        )
    if reply.status_code != 200:
        raise EarshotError(
            f"{url} is no LiveKit server, or has no such room (HTTP {reply.status_code}): check "
            "room.url and room.room."
        )


def _watch(transport: LiveKitTransport, everyone_left: asyncio.Event) -> None:
    async def on_left(*_: Any) -> None:
        if not transport.get_participants():
            everyone_left.set()

    async def on_disconnected(*_: Any) -> None:
        everyone_left.set()

    transport.add_event_handler("on_participant_disconnected", on_left)
    transport.add_event_handler("on_disconnected", on_disconnected)
