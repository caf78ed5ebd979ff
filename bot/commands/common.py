"""What every command shares: ``--json``, ``--debug``, ``--config``, ``--set``."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from bot.config.loader import load
from bot.config.schema import Settings


@dataclass(frozen=True)
class Invocation:
    """How the command was called: the effective settings, and ``--json``."""

    settings: Settings
    json: bool

    def emit(self, record: dict[str, Any]) -> None:
        """Print the machine-readable result: one JSON document on standard output."""
        click.echo(json.dumps(record, ensure_ascii=False))


def earshot_command(**attributes: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A click command with the shared options; its function takes an ``Invocation`` first.

    ``EarshotError`` becomes one line on standard error and the error's exit code;
    ``--debug`` shows the traceback (see ``bot.cli``).
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        @click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
        @click.option("--debug", is_flag=True, help="Show tracebacks and debug logs.")
        @click.option("--config", "config_file", metavar="FILE", help="Configuration file.")
        @click.option(
            "--set", "overrides", metavar="KEY=VALUE", multiple=True,
            help="Override a configuration key, for example --set tts.voice=am_adam.",
        )
        @functools.wraps(function)
        def wrapper(
            *, as_json: bool, debug: bool, config_file: str | None,
            overrides: tuple[str, ...], **options: Any,
        ) -> Any:
            loaded = load(config_file, overrides=overrides, debug=debug)
            return function(Invocation(loaded.settings, as_json), **options)

        return click.command(**attributes)(wrapper)

    return decorate
