"""``earshot web``: talk to the bot in a browser page."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from bot.commands.common import Invocation, earshot_command
from bot.config.loader import DOTENV_NAME
from bot.config.secrets import Secrets


@earshot_command(
    name="web",
    short_help="Talk in a browser page.",
    epilog="Example: earshot web --open --set web.port=8080",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def command(invocation: Invocation, open_browser: bool) -> None:
    """Serve a page on this machine; every visitor gets a conversation of their own."""
    from bot.web.serve import serve  # loads the speech stack: not for --help

    def ready(url: str) -> None:
        if invocation.json:
            invocation.emit({"url": url})

    asyncio.run(
        serve(
            invocation.settings,
            Secrets.load(os.environ, Path(DOTENV_NAME)),
            notify=lambda line: click.echo(line, err=True),
            open_browser=open_browser,
            on_ready=ready,
        )
    )
