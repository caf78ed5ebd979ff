"""What pydantic found wrong, in the words of a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bot.scenario.names import nearest

_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
_WORDS = {
    "string_type": "expected text",
    "string_too_short": "expected text that is not empty",
    "finite_number": "expected a finite number",
    "too_short": "expected at least one entry",
    "list_type": "expected a list",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
}


def expected(problem: Mapping[str, Any]) -> str:
    """``expected at most 300`` and the like, for one entry of ``ValidationError.errors()``."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"expected {words} {context[name]:g}"
    if kind == "literal_error":
        choices = re.findall(r"'([^']+)'", context["expected"])
        given = problem["input"]
        near = nearest(given, choices) if isinstance(given, str) else ""
        near = near if near.startswith("; did") else ""
        return f"expected one of {', '.join(choices)}, not {given!r:.60}{near}"
    if kind.startswith("int_"):
        return "expected a whole number"
    if kind.startswith("float_"):
        return "expected a number"
    if kind in _WORDS:
        return _WORDS[kind]
    message = str(problem["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
