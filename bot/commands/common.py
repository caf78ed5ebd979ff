"""What every command shares: ``--json``, ``--debug``, ``--config``, ``--set``."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from bot.config.loader import DOTENV_NAME, Loaded, load
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.logs import set_up_logging
from speech.text_clean import json_text


@dataclass(frozen=True)
class Invocation:
    """How the command was called: the effective settings and secrets, and ``--json``."""

    settings: Settings
    json: bool
    secrets: Secrets = field(default_factory=Secrets)
    debug: bool = False
    loaded: Loaded | None = None

    def emit(self, record: dict[str, Any] | list[dict[str, Any]]) -> None:
        """Print the machine-readable result: one JSON document on standard output."""
        click.echo(json_text(record))


def earshot_command(**attributes: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A click command with the shared options; its function takes an ``Invocation`` first.

    ``EarshotError`` becomes one line on standard error and the error's exit code;
    ``--debug`` shows the traceback (see ``bot.cli``). An int the function returns is the
    exit code. ``epilog`` is kept as it is written, for examples.
    """
    if "epilog" in attributes:
        attributes["epilog"] = f"\b\n{attributes['epilog']}"

    def decorate(function: Callable[..., Any]) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
        @click.option("--debug", is_flag=True, help="Show tracebacks and debug logs.")
        @click.option("--config", "config_file", metavar="FILE", help="Configuration file.")
        @click.option(
            "--set",
            "overrides",
            metavar="KEY=VALUE",
            multiple=True,
            help="Override a configuration key, for example --set tts.voice=am_adam.",
        )
        @functools.wraps(function)
        def wrapper(
            *,
            as_json: bool,
            debug: bool,
            config_file: str | None,
            overrides: tuple[str, ...],
            **options: Any,
        ) -> Any:
            loaded = load(config_file, overrides=overrides, debug=debug)
            secrets = Secrets.load(os.environ, Path(DOTENV_NAME))
            set_up_logging(loaded.settings, secrets)
            invocation = Invocation(loaded.settings, as_json, secrets, debug, loaded)
            return function(invocation, **options)

        command: click.Command = click.command(**attributes)(wrapper)
        return command

    return decorate
