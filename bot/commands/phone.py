"""``earshot phone``: answer calls that a carrier brings."""

from __future__ import annotations

from bot.commands.common import Invocation, earshot_command
from bot.commands.serving import run_server


@earshot_command(
    name="phone",
    short_help="Answer phone calls (Twilio, Telnyx, Plivo, Exotel).",
    epilog="Example: earshot phone --set phone.provider=twilio "
    "--set phone.public_url=https://bot.example.com",
)
def command(invocation: Invocation) -> None:
    """Serve a carrier's webhook and media stream; every call is a conversation of its own."""
    from bot.phone.serve import serve  # loads the speech stack: not for --help

    run_server(invocation, serve)
