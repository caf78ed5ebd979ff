"""``earshot phone``: answer calls that a carrier brings."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from bot.commands.common import Invocation, earshot_command
from bot.config.loader import DOTENV_NAME
from bot.config.secrets import Secrets


@earshot_command(
    name="phone",
    short_help="Answer phone calls (Twilio, Telnyx, Plivo, Exotel).",
    epilog="Example: earshot phone --set phone.provider=twilio "
    "--set phone.public_url=https://bot.example.com",
)
def command(invocation: Invocation) -> None:
    """Serve a carrier's webhook and media stream; every call is a conversation of its own."""
    from bot.phone.serve import serve  # loads the speech stack: not for --help

    def ready(url: str) -> None:
        if invocation.json:
            invocation.emit({"url": url})

    asyncio.run(
        serve(
            invocation.settings,
            Secrets.load(os.environ, Path(DOTENV_NAME)),
            notify=lambda line: click.echo(line, err=True),
            on_ready=ready,
        )
    )
