"""``earshot web``: talk to the bot in a browser page."""

from __future__ import annotations

import click

from bot.commands.common import Invocation, earshot_command
from bot.commands.serving import run_server


@earshot_command(
    name="web",
    short_help="Talk in a browser page.",
    epilog="Example: earshot web --open --set web.port=8080",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def command(invocation: Invocation, open_browser: bool) -> None:
    """Serve a page on this machine; every visitor gets a conversation of their own."""
    from bot.web.serve import serve  # loads the speech stack: not for --help

    run_server(invocation, serve, open_browser=open_browser)
