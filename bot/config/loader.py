"""Loading the configuration: file, then environment, then flags."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bot.config.dotenv_file import read_dotenv
from bot.config.keys import Key, accepts, choices, dotted, expected, leaves
from bot.config.layers import Entry, from_environment, from_flags, from_yaml
from bot.config.nearest import nearest
from bot.config.schema import Settings
from speech.errors import UsageError
from speech.redact import without_password

CONFIG_NAME = "config.yaml"
DOTENV_NAME = ".env"
PACKAGED = Path(__file__).with_name("defaults.yaml")
IN_REPOSITORY = Path(__file__).parents[2] / CONFIG_NAME

_LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Loaded:
    """The effective settings, where each value came from, and the file that was read.

    ``origins`` has every key (``tts.voice``): ``default``, ``config.yaml line 12``,
    ``EARSHOT_TTS__VOICE``, ``--set tts.voice`` or ``--debug``.
    """

    settings: Settings
    origins: dict[str, str]
    path: Path | None


def load(
    config_file: str | None = None,
    *,
    overrides: Sequence[str] = (),
    debug: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> Loaded:
    """The file's values, overridden by ``EARSHOT_…`` variables, overridden by ``KEY=VALUE`` flags.

    The file is ``config_file``, else ``config.yaml`` in the working directory, else the
    one that came with Earshot. Raises ``UsageError``, one line that names the place, the
    key, what was expected and the nearest valid key.
    """
    path = find_file(config_file)
    given: dict[Key, Entry] = {}
    for entry in _all_entries(path, overrides, debug, environ):
        given[entry.key] = entry
    settings = _validated(given)
    origins = {dotted(k): given[k].origin if k in given else "default" for k in leaves()}
    return Loaded(settings, origins, path)


def find_file(config_file: str | None) -> Path | None:
    """The file ``load`` reads; None where there is none and the defaults hold."""
    if config_file is not None:
        return Path(config_file)
    places = (Path(CONFIG_NAME), PACKAGED, IN_REPOSITORY)
    return next((place for place in places if place.is_file()), None)


def value_at(settings: Settings, key: Key) -> Any:
    """The value of ``("tts", "voice")`` and the like."""
    value: Any = settings
    for name in key:
        value = getattr(value, name)
    return value


def _all_entries(
    path: Path | None, overrides: Sequence[str], debug: bool, environ: Mapping[str, str]
) -> Iterator[Entry]:
    if path is not None:
        yield from from_yaml(path)
    dotenv = Path(DOTENV_NAME)
    in_file = {k: v for k, v in read_dotenv(dotenv).items() if k not in environ}
    yield from from_environment(in_file, f"{dotenv}: ")
    yield from from_environment(environ)
    if debug:
        yield Entry(("log", "level"), "DEBUG", "--debug")
    yield from from_flags(overrides)


def _validated(given: Mapping[Key, Entry]) -> Settings:
    bad = [entry for entry in given.values() if not accepts(entry.key, entry.value)]
    if bad:
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise UsageError(_bad_value(bad[0]) + more)
    try:
        return Settings.model_validate(_nested(given))
    except ValidationError as error:
        raise UsageError(_bad_combination(error, given)) from error


def _nested(given: Mapping[Key, Entry]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, entry in given.items():
        node = tree
        for name in key[:-1]:
            node = node.setdefault(name, {})
        node[key[-1]] = entry.value
    return tree


def _bad_value(entry: Entry) -> str:
    text = repr(entry.value) if isinstance(entry.value, str) else _yaml_word(entry.value)
    shown = without_password(text)
    if len(shown) > _LONGEST_SHOWN:
        shown = shown[: _LONGEST_SHOWN - 1] + "…"
    line = f"{entry.origin}: {dotted(entry.key)} is {shown}, expected {expected(entry.key)}"
    meant = nearest(str(entry.value)[:_LONGEST_SHOWN], choices(entry.key))
    if meant:
        return f"{line}; did you mean {meant}?"
    if isinstance(entry.value, bool) and "text" in expected(entry.key):
        return f"{line}; put it in quotes"
    return line


def _yaml_word(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _bad_combination(error: ValidationError, given: Mapping[Key, Entry]) -> str:
    first = error.errors()[0]
    key = tuple(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    named = [given[k] for k in given if k == key or dotted(k) in message]
    entry = named[-1] if named else None
    origin = f"{entry.origin}: " if entry else ""
    name = f"{dotted(key)}: " if key and dotted(key) not in message else ""
    return f"{origin}{name}{message}"
