"""``earshot room``: the bot as a participant of a LiveKit or Daily room."""

from __future__ import annotations

import asyncio

from bot.commands.common import Invocation, earshot_command
from bot.commands.serving import notify


@earshot_command(
    name="room",
    short_help="Join a LiveKit or Daily room.",
    epilog="Example: earshot room --set room.url=wss://my.livekit.cloud --set room.room=lobby",
)
def command(invocation: Invocation) -> None:
    """Join the configured room and talk to who is in it."""
    from bot.room.join import join  # loads the speech stack: not for --help

    asyncio.run(join(invocation.settings, invocation.secrets, notify=notify))
