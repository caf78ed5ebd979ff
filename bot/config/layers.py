"""Where values come from: the file, the environment, the flags; each knows its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from bot.config.keys import (
    ENV_PREFIX,
    SHORTHANDS,
    Key,
    accepts,
    dotted,
    leaves,
    looks_secret,
    sections,
    suggest,
    variable,
)
from bot.config.plain_yaml import PlainLoader, plain_load, read_plain
from bot.config.secrets import KNOWN_NAMES
from speech.errors import UsageError

OTHER_VARIABLES = frozenset({"EARSHOT_PYTHON", "EARSHOT_AUDIO_DIRS", "EARSHOT_EMBEDDED_KEY"})
"""Ours, but no settings: for scripts/setup.sh, for scenarios, for the embedded model's child."""


@dataclass(frozen=True)
class Entry:
    """One value and where it was written, for example ``config.yaml line 12``."""

    key: Key
    value: Any
    origin: str


def from_yaml(path: Path) -> Iterator[Entry]:
    """The file's values; ``UsageError`` names the line of whatever is wrong with it."""
    text = _read(path)
    if not text.strip():
        raise UsageError(f"{path} is empty: remove it to use the defaults, or write keys in it")
    try:
        loader = PlainLoader(text)
        root = loader.get_single_node()
        if root is None:  # only comments: every key at its default
            return
        if not isinstance(root, yaml.MappingNode):
            raise UsageError(f"{path}: expected a mapping such as 'tts: {{voice: af_heart}}'")
        yield from _entries(loader, root, (), path)
    except yaml.YAMLError as error:
        raise UsageError(f"{path}{_at(error)}: not YAML: {_problem(error)}") from error


def from_environment(environ: Mapping[str, str], source: str = "") -> Iterator[Entry]:
    """``EARSHOT_TTS__VOICE=af_sky`` and the like; ``source`` is put before the name."""
    for name, text in sorted(environ.items()):
        if not name.startswith(ENV_PREFIX) or name in OTHER_VARIABLES.union(KNOWN_NAMES):
            continue
        key = tuple(name.removeprefix(ENV_PREFIX).lower().split("__"))
        yield from _assignment(key, text, f"{source}{name}", as_variable=True)


def from_flags(overrides: Sequence[str]) -> Iterator[Entry]:
    """``--set tts.voice=af_sky`` and the like."""
    for override in overrides:
        name, equals, text = override.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {override}: expected KEY=VALUE, such as tts.voice=af_heart")
        key = tuple(name.strip().split("."))
        yield from _assignment(key, text, f"--set {name.strip()}")


def _read(path: Path) -> str:
    try:
        return read_plain(path)
    except FileNotFoundError as error:
        raise UsageError(f"no configuration file {path}: check --config") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not YAML: not UTF-8 text") from error


def _entries(loader: PlainLoader, node: yaml.MappingNode, path: Key, file: Path) -> Iterator[Entry]:
    _refuse_duplicates(node, path, file)
    loader.flatten_mapping(node)  # a key merged in by << comes first, so ours overrides it
    for key_node, value_node in node.value:
        key = (*path, str(key_node.value))
        yield from _value(loader, value_node, key, _line(file, key_node), file)


def _refuse_duplicates(node: yaml.MappingNode, path: Key, file: Path) -> None:
    """YAML forbids them, PyYAML silently keeps the last."""
    seen: dict[str, int] = {}
    for key_node, _ in node.value:
        where = _line(file, key_node)
        if not (isinstance(key_node, yaml.ScalarNode) and key_node.value.isprintable()):
            raise UsageError(f"{where}: a key must be a word")
        name = key_node.value
        if name in seen:
            key = dotted((*path, name))
            raise UsageError(f"{where}: {key} was already given on line {seen[name]}")
        seen[name] = key_node.start_mark.line + 1


def _line(file: Path, node: yaml.Node) -> str:
    return f"{file} line {node.start_mark.line + 1}"


def _value(
    loader: PlainLoader, node: yaml.Node, key: Key, where: str, file: Path
) -> Iterator[Entry]:
    if key in leaves():
        yield Entry(key, loader.construct_object(node, deep=True), where)
    elif key not in sections():
        raise _unknown(key, where)
    elif isinstance(node, yaml.MappingNode):
        yield from _entries(loader, node, key, file)
    else:
        yield from _scalar_section(key, loader.construct_object(node, deep=True), where)


def _scalar_section(key: Key, value: Any, where: str) -> Iterator[Entry]:
    if value is None:  # a heading whose keys are all commented out
        return
    if key in SHORTHANDS and isinstance(value, str):
        yield Entry((*key, SHORTHANDS[key]), value, where)
        return
    names = ", ".join(sections()[key].model_fields)
    raise UsageError(f"{where}: {dotted(key)} is a section: write its keys below it ({names})")


def _assignment(key: Key, text: str, where: str, *, as_variable: bool = False) -> Iterator[Entry]:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise UsageError(f"{where}: the value is not UTF-8 text")
    if key in leaves():
        yield Entry(key, _typed(key, text), where)
    elif key in sections() and key:
        yield from _scalar_section(key, text or None, where)
    else:
        raise _unknown(key, where, as_variable=as_variable)


def _typed(key: Key, text: str) -> Any:
    """YAML's reading of ``text`` where the key takes that, else the text itself.

    So ``no`` is a language where a language is wanted, and false where a switch is.
    """
    try:
        value = plain_load(text)
    except yaml.YAMLError:
        return text
    if accepts(key, value):
        return value
    return text if not text.strip() or accepts(key, text) else value


def _unknown(key: Key, where: str, *, as_variable: bool = False) -> UsageError:
    if looks_secret(key):
        return UsageError(
            f"{where}: {dotted(key)} is a secret: put it in .env or the environment "
            f"(for example OPENAI_API_KEY=…)"
        )
    if as_variable:
        return UsageError(f"{where}: unknown key; {suggest(key, variable)}")
    name = "" if where.startswith("--set") else f" {dotted(key)}"
    return UsageError(f"{where}: unknown key{name}; {suggest(key)}")


def _at(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" line {mark.line + 1}" if mark else ""


def _problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if isinstance(error, ReaderError):
        problem = f"unprintable character {error.character!r}"
    if "'\\t'" in problem:
        return "a tab where spaces are needed"
    return str(problem)
