"""``earshot serve``: the speech server."""

from __future__ import annotations

import click

from bot.commands.common import Invocation, earshot_command
from bot.commands.serving import run_server


@earshot_command(
    name="serve",
    short_help="Run the speech server.",
    epilog="Example: earshot serve --set serve.port=8080",
)
def command(invocation: Invocation) -> None:
    """Speak for others: SageMaker's contract, OpenAI's API, and a WebSocket of our own."""
    from bot.models import sources_of, terminal_watch  # these load the speech stack
    from bot.speech_server import serve
    from bot.voice import require_packages, voice_models
    from speech.models.pull import ensure

    settings = invocation.settings
    require_packages(settings.tts)
    with terminal_watch() as watch:
        ensure(voice_models(settings.tts), sources_of(settings), settings.models.dir, watch)
    # with --json standard output is for machines alone
    run_server(invocation, serve, mark=lambda line: click.echo(line, err=invocation.json))
