"""A function's signature, as the model sees it and as its arguments are checked."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from bot.tools.context import ToolContext, ToolError
from speech.errors import UsageError

JSON_TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}

SUPPORTED = "use str, int, float, bool, Literal of strings or integers, list of these, or Optional"


@dataclass(frozen=True)
class Signature:
    """Built once, at start, where a mistake is the tool author's to see."""

    name: str
    description: str
    properties: dict[str, Any]
    required: list[str]
    context_name: str | None
    model: type[BaseModel]

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The given arguments, checked and converted (``"5"`` to 5).

        Raises ``ToolError`` that tells the model each thing that is wrong.
        """
        try:
            checked = self.model.model_validate(dict(given))
        except ValidationError as error:
            faults = "; ".join(self._fault(fault) for fault in error.errors())
            known = ", ".join(self.properties) or "none"
            raise ToolError(f"{faults} (parameters: {known})") from error
        return {name: getattr(checked, name) for name in checked.model_fields_set}

    def _fault(self, fault: Any) -> str:
        where = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            return f"{where}: there is no such parameter"
        return f"{where}: {fault['msg'].lower()}"


def read_signature(function: Callable[..., Any]) -> Signature:
    """Describe the function to a model; ``UsageError`` names what cannot be described."""
    name = function.__name__
    doc = docstring_parser.parse(inspect.getdoc(function) or "")
    if not doc.description:
        raise UsageError(f"tool {name}: it needs a docstring, which tells the model what it does")
    helps = {param.arg_name: param.description for param in doc.params if param.description}
    hints = _hints(function)
    context_name = next((key for key, hint in hints.items() if hint is ToolContext), None)
    fields: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == context_name:
            continue
        hint = _hint(name, parameter, hints)
        fields[parameter.name] = (hint, _default(parameter))
        properties[parameter.name] = _property(name, parameter.name, hint, helps)
    return Signature(
        name,
        doc.description.strip(),
        properties,
        [key for key, (_, default) in fields.items() if default is ...],
        context_name,
        _model(name, fields),
    )


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        hints = get_type_hints(function)
    except Exception as error:  # a hint is any expression, and may raise anything
        name = function.__name__
        raise UsageError(f"tool {name}: its type hints cannot be read: {error}") from error
    hints.pop("return", None)
    return hints


def _hint(tool: str, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> Any:
    where = f"tool {tool}, parameter {parameter.name}"
    if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
        raise UsageError(f"{where}: only parameters that can be given by name work")
    if parameter.name.startswith("_"):
        raise UsageError(f"{where}: a name must not start with an underscore")
    if parameter.name not in hints:
        raise UsageError(f"{where}: it needs a type hint; {SUPPORTED}")
    return hints[parameter.name]


def _property(tool: str, parameter: str, hint: Any, helps: Mapping[str, str]) -> dict[str, Any]:
    schema = _schema(hint, f"tool {tool}, parameter {parameter}")
    if parameter in helps:
        schema["description"] = " ".join(helps[parameter].split())
    return schema


def _default(parameter: inspect.Parameter) -> Any:
    return ... if parameter.default is parameter.empty else parameter.default


def _model(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, protected_namespaces=())
    model: type[BaseModel] = create_model(name, __config__=config, **fields)
    return model


def _schema(hint: Any, where: str) -> dict[str, Any]:
    """JSON schema of a hint. ``Optional`` shows only its type: small servers know no unions."""
    if hint in JSON_TYPES:
        return {"type": JSON_TYPES[hint]}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        rest = [argument for argument in arguments if argument is not type(None)]
        if len(rest) == 1 and len(arguments) == 2:
            return _schema(rest[0], where)
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], where)}
    if origin is Literal and len(kinds := {type(value) for value in arguments}) == 1:
        (kind,) = kinds
        if kind in (str, int):
            return {"type": JSON_TYPES[kind], "enum": list(arguments)}
    raise UsageError(
        f"{where}: the hint {_shown(hint)} cannot be described to a model; {SUPPORTED}"
    )


def _shown(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
