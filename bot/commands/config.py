"""``earshot config``: the effective configuration and where each value came from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bot.commands.common import Invocation, earshot_command
from bot.config.dotenv_file import read_dotenv
from bot.config.keys import dotted, leaves
from bot.config.loader import DOTENV_NAME, Loaded, value_at
from bot.config.secrets import hints_for
from speech.redact import without_password


@earshot_command(
    name="config",
    epilog="Examples:\n  earshot config\n  earshot config --set tts.voice=am_adam --json\n"
    "  earshot config --check --config config.yaml",
)
@click.option("--check", is_flag=True, help="Only say whether the configuration is valid.")
def command(invocation: Invocation, check: bool) -> None:
    """Print the effective configuration and where each value came from; secrets masked."""
    hints = hints_for(read_dotenv(Path(DOTENV_NAME)))
    for hint in hints:
        click.echo(f"earshot: {DOTENV_NAME}: {hint}", err=True)
    loaded = invocation.loaded
    assert loaded is not None  # noqa: S101 (earshot_command always loads)
    file = str(loaded.path) if loaded.path else None
    if check and invocation.json:
        invocation.emit({"valid": True, "file": file, "hints": hints})
    elif check:
        click.echo(f"valid: {file or 'the defaults, there is no file'}")
    elif invocation.json:
        invocation.emit(_record(invocation, loaded, file))
    else:
        _print_tables(invocation, loaded, file)


def _record(invocation: Invocation, loaded: Loaded, file: str | None) -> dict[str, Any]:
    return {
        "file": file,
        "values": _without_passwords(loaded.settings.model_dump(mode="json")),
        "origins": loaded.origins,
        "secrets": invocation.secrets.masked(),
        "variables": invocation.secrets.public(),
    }


def _print_tables(invocation: Invocation, loaded: Loaded, file: str | None) -> None:
    """Key, origin, value: the value last, as it may be long; the same in a pipe."""
    click.echo(f"file: {file or 'none, so the defaults'}\n")
    rows = [("key", "from", "value")]
    for key in leaves():
        value = _shown(value_at(loaded.settings, key))
        rows.append((dotted(key), loaded.origins[dotted(key)], value))
    _print_columns(rows)
    for title, shown in (
        ("secret", invocation.secrets.masked()),
        ("variable", invocation.secrets.public()),
    ):
        click.echo()
        _print_columns([(title, "value"), *((n, value or "not set") for n, value in shown.items())])


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return without_password(str(value)) or '""'


def _without_passwords(value: Any) -> Any:
    """The settings' JSON; a URL in them may hold a password."""
    if isinstance(value, dict):
        return {key: _without_passwords(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_passwords(inner) for inner in value]
    return without_password(value) if isinstance(value, str) else value
