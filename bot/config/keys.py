"""The configuration's keys: which exist, what each takes, which one was meant."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from bot.config.fields import Section
from bot.config.nearest import nearest
from bot.config.schema import Settings

Key = tuple[str, ...]

SHORTHANDS: dict[Key, str] = {("llm",): "provider"}
"""``llm: auto`` is ``llm: {provider: auto}``."""

ENV_PREFIX = "EARSHOT_"

_SECRET_WORDS = re.compile(
    r"(^|_)(api_?key|key|token|secret|password|passwd|auth_id|account_sid|credentials?)$", re.I
)
_SCALARS = {str: "text", int: "a whole number", float: "a number", bool: "true or false",
            Path: "a path", dict: "a mapping"}  # fmt: skip


@cache
def leaves() -> dict[Key, FieldInfo]:
    """Every key that holds a value, in the order of the schema."""
    return dict(_walk(Settings, ()))


@cache
def sections() -> dict[Key, type[Section]]:
    """Every key that holds keys; ``()`` is the whole configuration."""
    found: dict[Key, type[Section]] = {(): Settings}
    for path in list(found):
        found |= dict(_subsections(found[path], path))
    return found


def dotted(key: Key) -> str:
    """``tts.voice``."""
    return ".".join(key)


def looks_secret(key: Key) -> bool:
    """Whether an unknown key is named like a credential, which no file may hold."""
    return bool(key) and bool(_SECRET_WORDS.search(key[-1]))


def variable(key: Key) -> str:
    """``EARSHOT_TTS__VOICE``."""
    return ENV_PREFIX + "__".join(key).upper()


def suggest(key: Key, spell: Callable[[Key], str] = dotted) -> str:
    """The end of an "unknown key" line: the nearest valid key, or the keys there are."""
    near = _nearest(key)
    if near:
        return f"did you mean {spell(near)}?"
    parent = key[:-1]
    while parent not in sections():
        parent = parent[:-1]
    names = ", ".join(sections()[parent].model_fields)
    return f"the keys of {dotted(parent)} are {names}" if parent else f"the sections are {names}"


def accepts(key: Key, value: object) -> bool:
    """Whether ``value`` is valid for this key by itself."""
    field = leaves()[key]
    if isinstance(value, bool) and bool not in _flat_types(field.annotation):
        return False
    try:
        _adapter(key).validate_python(value)
    except ValidationError:
        return False
    return True


def expected(key: Key) -> str:
    """What the key takes, in words: ``a number from 0.5 to 2``."""
    field = leaves()[key]
    return _describe(field.annotation, tuple(field.metadata))


def choices(key: Key) -> list[str]:
    """The words the key may be, where it is a choice."""
    return [str(word) for word in _literals(leaves()[key].annotation)]


def _walk(model: type[Section], path: Key) -> Iterator[tuple[Key, FieldInfo]]:
    for name, field in model.model_fields.items():
        if _is_section(field.annotation):
            yield from _walk(field.annotation, (*path, name))
        else:
            yield (*path, name), field


def _subsections(model: type[Section], path: Key) -> Iterator[tuple[Key, type[Section]]]:
    for name, field in model.model_fields.items():
        if _is_section(field.annotation):
            yield (*path, name), field.annotation
            yield from _subsections(field.annotation, (*path, name))


def _is_section(annotation: Any) -> TypeGuard[type[Section]]:
    return isinstance(annotation, type) and issubclass(annotation, Section)


def _nearest(key: Key) -> Key | None:
    """A sibling with a similar name, else a similar whole key, else a similar last name.

    Outside a section the same last name comes first: it is no slip of the pen.

    Words are joined with underscores, so that ``TTS_VOICE`` finds ``tts.voice``.
    """
    known = [path for path in (*leaves(), *sections()) if path not in ((), key[:-1])]
    siblings = {path[-1]: path for path in known if path[:-1] == key[:-1]}
    whole = {"_".join(path): path for path in reversed(known)}
    last = {path[-1]: path for path in reversed(known)}
    if len(key) == 1 and key[0] in last:
        return last[key[0]]
    for names, word in ((siblings, key[-1]), (whole, "_".join(key)), (last, key[-1])):
        match = nearest(word, names)
        if match:
            return names[match]
    return None


@cache
def _adapter(key: Key) -> TypeAdapter[Any]:
    field = leaves()[key]
    annotation: Any = field.annotation
    for item in field.metadata:
        annotation = Annotated[annotation, item]
    return TypeAdapter(annotation, config=ConfigDict(allow_inf_nan=False))


def _flat_types(annotation: Any) -> set[Any]:
    arguments = get_args(annotation)
    return (
        {annotation}.union(*(_flat_types(item) for item in arguments))
        if arguments
        else {annotation}
    )


def _literals(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [word for item in get_args(annotation) for word in _literals(item)]


def _describe(annotation: Any, metadata: tuple[Any, ...] = ()) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner = [m for a in arguments[1:] for m in getattr(a, "metadata", [a])]
        return _describe(arguments[0], (*inner, *metadata))
    if origin in (Union, types.UnionType):
        return " or ".join(_describe(item, metadata) for item in arguments)
    if origin is Literal:
        return f"one of {', '.join(str(word) for word in arguments)}"
    if origin is tuple:
        return f"a list, each {_describe(arguments[0])}"
    if annotation is type(None):
        return "null"
    return _SCALARS.get(origin or annotation, str(annotation)) + _bounds(metadata)


def _bounds(metadata: tuple[Any, ...]) -> str:
    if words := next((m for m in metadata if isinstance(m, str)), None):
        return words
    if any(isinstance(m, MinLen) for m in metadata):
        return " that is not empty"
    low = next((m.ge for m in metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in metadata if isinstance(m, Gt)), None)
    high = next((m.le for m in metadata if isinstance(m, Le)), None)
    below = next((m.lt for m in metadata if isinstance(m, Lt)), None)
    if low is not None and high is not None:
        return f" from {low} to {high}"
    limits = ((low, "at least"), (above, "above"), (high, "at most"), (below, "below"))
    said = [f" {word} {bound}" for bound, word in limits if bound is not None]
    return " and".join(said)
