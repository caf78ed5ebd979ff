"""A scenario file, read and checked: every mistake is one line that says where and what."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from bot.config.plain_yaml import FileTooLargeError, PlainLoader, read_plain
from bot.scenario.names import nearest
from bot.scenario.schema import Call, Expectation, Noise, Piece, Scenario, Turn
from bot.scenario.wording import expected
from speech.errors import UsageError

AUDIO_DIRS_VARIABLE = "SCENARIO_AUDIO_DIRS"
_LONGEST_SHOWN = 60
_VARIABLE = re.compile(r"\$\{(\w+)\}")

_TURN_SHORTHANDS = {"wav", "audio", "text", "silence", "noise", "send_after"}
_MODELS: dict[str, tuple[type[BaseModel], set[str]]] = {
    "": (Scenario, set()),
    "turns": (Turn, _TURN_SHORTHANDS),
    "user": (Piece, {"pause_ms"}),
    "expect": (Expectation, set()),
    "calls": (Call, set()),
    "noise": (Noise, set()),
}
"""By the last named step of a place in the file: what is valid there."""


class ScenarioError(UsageError):
    """The scenario file is wrong; the message names file, line, key and what was expected."""


def load_scenario(file: str | os.PathLike[str]) -> Scenario:
    """Read ``file``; raises ``ScenarioError``."""
    path = Path(file)
    value, lines = _parse(path, _read(path))
    if not isinstance(value, dict):
        raise ScenarioError(f"{path}:1: expected a mapping with name and turns")
    if "path" in value:
        where = f"{path}:{lines.of(('path',))}"
        raise ScenarioError(f"{where}: path: unknown key{nearest('path', _keys(''))}")
    try:
        return Scenario.model_validate({"name": path.stem} | value | {"path": path})
    except ValidationError as error:
        raise ScenarioError(_first_line(path, lines, error)) from error


def find_file(name: str, scenario: Scenario, what: str) -> Path:
    """Where ``name`` lies: beside the scenario, in its ``audio_dirs``, or in the variable's.

    ``${NAME}`` stands for an environment variable. Raises ``ScenarioError``.
    """
    wanted = Path(_expand(name, scenario.path)).expanduser()
    beside = scenario.path.parent
    extra = [beside / Path(_expand(d, scenario.path)).expanduser() for d in scenario.audio_dirs]
    shared = [Path(d) for d in os.environ.get(AUDIO_DIRS_VARIABLE, "").split(os.pathsep) if d]
    places = [beside / wanted, *((folder / wanted) for folder in [*extra, *shared])]
    for place in places:
        if place.is_file():
            return place
    looked = ", ".join(dict.fromkeys(str(place.parent) for place in places))
    where = line_saying(scenario.path, name)
    raise ScenarioError(f"{where}: {what} {name!r} not found; looked in {looked}")


def line_saying(path: Path, value: str) -> str:
    """``file:line`` of the first ``value`` in the file, for what shows only later; else the file.

    The file is read again, as errors are rare.
    """
    try:
        _, lines = _parse(path, _read(path))
    except ScenarioError:
        return str(path)
    line = lines.of_value(value)
    return f"{path}:{line}" if line else str(path)


def line_of_setting(path: Path, key: Sequence[str]) -> str:
    """``file:line`` of a key below ``set``, dotted or nested; else the file."""
    try:
        _, lines = _parse(path, _read(path))
    except ScenarioError:
        return str(path)
    line = max(lines.of(("set", *key[:size], ".".join(key[size:]))) for size in range(len(key)))
    return f"{path}:{line}"


def _expand(text: str, path: Path) -> str:
    def value(match: re.Match[str]) -> str:
        found = os.environ.get(match[1])
        if not found:
            raise ScenarioError(f"{path}: {text!r} needs the environment variable {match[1]}")
        return found

    return _VARIABLE.sub(value, text)


def _read(path: Path) -> str:
    try:
        return read_plain(path)
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{path}: not UTF-8 text; expected a YAML scenario") from error
    except FileTooLargeError as error:
        raise ScenarioError(f"{path}: {error.strerror}; not a scenario") from error
    except OSError as error:
        raise ScenarioError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def _parse(path: Path, document: str) -> tuple[Any, _Lines]:
    loader = PlainLoader(document)
    try:
        root = loader.get_single_node()
        lines = _Lines(path, root)  # before the values are made: that merges << into its place
        return (None if root is None else loader.construct_document(root)), lines
    except yaml.YAMLError as error:
        raise ScenarioError(f"{path}:{_yaml_line(error)}") from error


class _Lines:
    """Line numbers of the places in a YAML document."""

    def __init__(self, path: Path, root: yaml.Node | None) -> None:
        self._path = path
        self._line: dict[tuple[str | int, ...], int] = {}
        self._of_value: dict[str, int] = {}
        if root is not None:
            self._walk(root, ())

    def of_value(self, value: str) -> int | None:
        """The first line with this value."""
        return self._of_value.get(value)

    def written(self, place: Sequence[str | int]) -> list[str | int]:
        """``place`` as the file has it: a turn's only piece may stand beside its other keys."""
        steps = list(place)
        if steps[2:4] == ["user", 0] and (*steps[:2], "user", 0) not in self._line:
            return steps[:2] + (steps[4:] or ["user"])
        return steps

    def of(self, place: Sequence[str | int]) -> int:
        """The line of ``place``, or of the nearest enclosing one that is in the file."""
        steps = tuple(place)
        while steps and steps not in self._line:
            steps = steps[:-1]
        return self._line.get(steps, 1)

    def _walk(self, node: yaml.Node, place: tuple[str | int, ...]) -> None:
        self._line.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            self._of_value.setdefault(node.value, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if not (isinstance(key, yaml.ScalarNode) and key.value.isprintable()):
                    raise ScenarioError(
                        f"{self._path}:{key.start_mark.line + 1}: a key must be a word"
                    )
                inner = (*place, str(key.value))
                self._refuse_duplicate(inner, key)
                self._line[inner] = key.start_mark.line + 1
                self._walk(value, inner)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self._walk(value, (*place, index))

    def _refuse_duplicate(self, place: tuple[str | int, ...], key: yaml.Node) -> None:
        """YAML forbids them, PyYAML silently keeps the last."""
        if place in self._line:
            where = f"{self._path}:{key.start_mark.line + 1}: {_dotted(place)}"
            raise ScenarioError(f"{where} was already given on line {self._line[place]}")


def _yaml_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"{mark.line + 1}: " if mark else " "
    return f"{where}not valid YAML: {getattr(error, 'problem', None) or error}"


def _first_line(path: Path, lines: _Lines, error: ValidationError) -> str:
    # A misspelt key is also a missing one; the misspelling is what to show.
    problems = sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")
    problem = problems[0]
    place = [step for step in problem["loc"] if step != "model_validator"]
    written = lines.written(place)
    where = f"{path}:{lines.of(written)}: {_dotted(written)}"
    if problem["type"] == "extra_forbidden":
        key = str(place[-1])
        return f"{where}: unknown key{nearest(key, _keys(_container(place[:-1])))}"
    if problem["type"] == "missing":
        return f"{where} is missing; {_MISSING.get(_dotted(place), 'give it a value')}"
    message = expected(problem)
    given = problem.get("input")
    # Only what says what was expected is completed by what was given instead.
    open_ended = message.startswith("expected ") and ", not " not in message
    says = isinstance(given, str | int | float | bool) or problem["type"].endswith("_type")
    return f"{where}: {message}{f', not {_given(given)}' if says and open_ended else ''}"


_MISSING = {"turns": "expected a list of what the user says, such as 'turns: [{user: Hello.}]'"}


def _given(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    shown = repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 1]}…"


def _dotted(place: Sequence[str | int]) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "the file"


def _container(place: Sequence[str | int]) -> str:
    named = [step for step in place if isinstance(step, str)]
    return named[-1] if named else ""


def _keys(container: str) -> set[str]:
    model, shorthands = _MODELS.get(container, (Scenario, set()))
    fields: Mapping[str, Any] = model.model_fields
    names = {info.alias or name for name, info in fields.items()}
    return (names | shorthands) - {"path"}
