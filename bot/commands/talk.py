"""``earshot talk``: a conversation by the sound card, or by the page where there is none."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import click

from bot.commands.common import Invocation, earshot_command
from bot.commands.serving import notify, run_server
from speech.errors import DeviceError


@earshot_command(
    name="talk",
    epilog="Examples:\n  earshot talk\n  earshot talk --set audio.input_device=USB\n"
    "  earshot talk --set barge_in.policy=push_to_talk    (the space bar is the talk key)\n"
    "  earshot talk --no-page --json",
)
@click.option(
    "--page/--no-page",
    default=True,
    help="Without a sound card: serve the browser page (the default), or fail.",
)
def command(invocation: Invocation, page: bool) -> None:
    """Talk with the bot by microphone and loudspeaker; --json prints the timeline."""
    from bot.leaving import closing_in_time
    from bot.models import ensure_models  # these load the speech stack: not for --help
    from bot.talk import missing_sound_card, talk

    missing = missing_sound_card(invocation.settings.audio)
    if missing and not page:
        raise DeviceError(
            f"{missing}: connect one and choose it with --set audio.input_device=NAME (earshot "
            "doctor lists them), or talk in the browser with earshot web"
        )
    ensure_models(invocation.settings, invocation.secrets)
    if missing:
        notify(f"{missing[0].upper()}{missing[1:]}: talk in the browser instead.")
        _serve_page(invocation)
        return
    with ExitStack() as closing:
        asyncio.run(
            talk(
                invocation.settings,
                invocation.secrets,
                notify=notify,
                json=invocation.json,
                over=lambda code: closing.enter_context(closing_in_time(code)),
            )
        )


def _serve_page(invocation: Invocation) -> None:
    from bot.talk import can_open_a_browser
    from bot.web.serve import serve

    run_server(invocation, serve, open_browser=can_open_a_browser())
