"""A Daily room: its token and its transport."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
from pipecat.transports.base_transport import BaseTransport

from bot.config.schema import RoomSettings
from bot.config.secrets import Secrets
from bot.room.extra import need_extra
from bot.room.reach import check_reachable
from speech.errors import EarshotError, UsageError

if TYPE_CHECKING:
    from pipecat.transports.daily.transport import DailyTransport

API_URL = "https://api.daily.co/v1"
API_TIMEOUT_S = 10.0

TOKEN_LIFE_S = 6 * 3600
"""Checked when joining."""


async def daily_room(
    room: RoomSettings, secrets: Secrets, name: str, everyone_left: asyncio.Event
) -> tuple[BaseTransport, str]:
    """The transport for the configured room and a line that says where it is.

    ``everyone_left`` is set when the last other participant leaves. Raises ``UsageError``
    for what is not configured, ``EarshotError`` when Daily refuses or cannot be reached.
    """
    need_extra("daily", "daily")
    from pipecat.transports.daily.transport import DailyParams, DailyTransport

    key = secrets.get("DAILY_API_KEY")
    if not room.url:
        raise UsageError("Set room.url to the room's address, https://DOMAIN.daily.co/ROOM.")
    if not key:
        raise UsageError("Set DAILY_API_KEY in the environment or .env.")
    await check_reachable(room.url)
    transport = DailyTransport(
        room.url,
        await meeting_token(room.url, key),
        name,
        DailyParams(
            audio_in_enabled=True,
            audio_in_user_tracks=False,  # one recogniser hears the room as one stream
            audio_out_enabled=True,
            audio_out_end_silence_secs=0,
        ),
    )
    _watch(transport, everyone_left)
    return transport, f"Daily room {room.url}"


async def meeting_token(room_url: str, key: str, api_url: str = API_URL) -> str:
    """A token for this room alone, from Daily's API.

    Raises ``UsageError`` for a room address without a name, ``EarshotError`` when Daily
    refuses the key or does not answer.
    """
    name = urlsplit(room_url).path.strip("/")
    if not name:
        raise UsageError(f"room.url: {room_url!r} names no room (https://DOMAIN.daily.co/ROOM).")
    properties = {"room_name": name, "exp": int(time.time()) + TOKEN_LIFE_S}
    try:
        async with httpx.AsyncClient(timeout=API_TIMEOUT_S) as client:
            reply = await client.post(
                f"{api_url}/meeting-tokens",
                headers={"Authorization": f"Bearer {key}"},
                json={"properties": properties},
            )
            reply.raise_for_status()
            return str(reply.json()["token"])
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        raise EarshotError(
            f"Daily refused a token for room {name!r} (HTTP {status}): check DAILY_API_KEY."
        ) from None
    except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
        raise EarshotError(f"Daily gave no token ({type(error).__name__}): try again.") from None


def _watch(transport: DailyTransport, everyone_left: asyncio.Event) -> None:
    async def on_left(*_: Any) -> None:
        if not set(transport.participants()) - {"local"}:
            everyone_left.set()

    async def on_gone(*_: Any) -> None:
        everyone_left.set()

    transport.add_event_handler("on_participant_left", on_left)
    transport.add_event_handler("on_left", on_gone)
    transport.add_event_handler("on_error", on_gone)
