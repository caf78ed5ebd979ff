"""The command line ``earshot``: finds the command, turns errors into one line.

Commands are imported when they are called, so ``--help`` and a typo answer at once.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import click

from bot.config.nearest import nearest
from speech.errors import EarshotError

COMMANDS = {
    "talk": "Talk with the bot by the sound card.",
    "web": "Serve the browser page.",
    "room": "Join a LiveKit or Daily room.",
    "phone": "Answer phone calls from a carrier.",
    "run": "Play a scenario through the bot and write a report.",
    "demo": "Play a recorded human through the bot and show what happened.",
    "say": "Speak a text to the sound card or into a file.",
    "split": "Split text into the units that are spoken.",
    "normalize": "Write text the way it is spoken.",
    "serve": "Run the speech server.",
    "agent": "Run the agent endpoint.",
    "models": "Fetch, list and verify model files.",
    "config": "Show the effective configuration.",
    "doctor": "Check this machine and say what to do.",
    "report": "Write the report of a recorded run.",
    "llm": "Say which language model answers; record its stream.",
    "bench": "Measure voice, units, interruptions or load on this machine.",
}
"""Command and its line in ``--help``; one whose module is absent is not listed."""

EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130
"""130 is what a shell reports for a process that Ctrl-C ended."""


class LazyGroup(click.Group):
    """A group whose commands are the modules of ``bot.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Those that are there, in the order of ``COMMANDS``."""
        return [name for name in COMMANDS if find_spec(f"bot.commands.{name}")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module; None for a name that is not a command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"bot.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with the nearest command named when there is none."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            meant = nearest(args[0], self.list_commands(ctx))
            hint = f"; did you mean {meant}?" if meant else "; see earshot --help"
            raise click.UsageError(f"no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list, without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"earshot {_version()}")
        ctx.exit()


def _version() -> str:
    try:
        return version("earshot")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "(not installed)"


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},  # the commands inherit it
    epilog="\b\nExamples:\n  earshot talk\n  earshot say 'The train leaves at nine.' -o a.wav",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version.",
)  # fmt: skip
def earshot() -> None:
    """A voice bot that shows what its listener heard: sound card, browser, room, phone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``earshot`` and return the exit code: 0 good, 1 failed, 2 wrong use, 130 Ctrl-C."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _open_missing_streams()
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader (head, a closed pager) has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _open_missing_streams() -> None:
    """What the caller closed (``<&-``) reads as empty and takes what is written."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115


def _run(words: list[str]) -> int:
    stdout = sys.stdout
    try:
        result = earshot.main(words, prog_name="earshot", standalone_mode=False)
    except BrokenPipeError:
        raise
    except click.exceptions.NoArgsIsHelpError as error:  # its message is the help, of many lines
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.ClickException as error:
        return _fail(error.format_message(), EXIT_USAGE, words)
    except (click.Abort, KeyboardInterrupt, asyncio.CancelledError):
        return EXIT_INTERRUPTED
    except SystemExit as exit_:
        if sys.stdout is not stdout:  # click replaces it where the reader is gone, and exits 1
            return 0
        return exit_.code if isinstance(exit_.code, int) else EXIT_FAILED
    except Exception as error:
        # The last place that can turn a fault of ours into one line; --debug shows it whole.
        return _report(error, words)
    return result if isinstance(result, int) and not isinstance(result, bool) else 0


def _report(error: Exception, words: Sequence[str]) -> int:
    known = _first_known(error)
    if known is not None:
        return _fail(str(known), known.exit_code, words)
    hint = "" if wants_debug(words) else "; run with --debug"
    return _fail(f"unexpected {type(error).__name__}: {error}{hint}", EXIT_FAILED, words)


def _first_known(error: BaseException) -> EarshotError | None:
    """The error meant for the user, however deep in the groups of task groups."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_first_known, error.exceptions)), None)
    return error if isinstance(error, EarshotError) else None


def wants_debug(words: Sequence[str]) -> bool:
    """Whether ``--debug`` was given, also where parsing never got that far."""
    words = list(words)
    end = words.index("--") if "--" in words else len(words)
    return "--debug" in words[:end]


def _fail(message: str, code: int, words: Sequence[str]) -> int:
    line = f"earshot: {' '.join(message.split())}"
    said = f"{traceback.format_exc()}{line}" if wants_debug(words) else line
    click.echo(_without_secrets(said), err=True)
    return code


def _without_secrets(text: str) -> str:
    """Services repeat keys in their errors."""
    from bot.config.loader import DOTENV_NAME  # only a failure needs them
    from bot.config.secrets import Secrets

    try:
        return Secrets.load(os.environ, Path(DOTENV_NAME)).redact(text)
    except EarshotError:  # the .env cannot be read, which may be what is being said
        return Secrets(os.environ).redact(text)
