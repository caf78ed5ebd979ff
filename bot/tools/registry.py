"""From names in the configuration to tools."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from bot.config.nearest import nearest
from bot.tools.context import ToolContext
from bot.tools.current_time import current_time
from bot.tools.timer import cancel_timer, set_timer
from bot.tools.tool import Tool
from speech.errors import UsageError

BUILT_IN: dict[str, Callable[..., Any]] = {
    "current_time": current_time,
    "set_timer": set_timer,
    "cancel_timer": cancel_timer,
}


def load_tools(names: Sequence[str], context: ToolContext) -> list[Tool]:
    """The tools of one conversation: built-in names, or ``module:function``.

    Raises ``UsageError`` for an unknown name, a module that does not import, a function
    that cannot be described to a model, and two tools of one name.
    """
    tools = [Tool(find_function(name), context) for name in names]
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise UsageError(f"tools.enabled has two tools named {tool.name!r}: rename one")
        seen.add(tool.name)
    return tools


def find_function(name: str) -> Callable[..., Any]:
    """The function a configuration entry means."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    module_name, colon, function_name = name.partition(":")
    if not colon:
        guess = nearest(name, BUILT_IN)
        hint = f"did you mean {guess!r}?" if guess else f"there are {', '.join(BUILT_IN)}"
        raise UsageError(f"tools.enabled: no tool {name!r}; {hint} (your own: module:function)")
    return _own_function(module_name, function_name)


def _own_function(module_name: str, function_name: str) -> Callable[..., Any]:
    if (here := os.getcwd()) not in sys.path:
        sys.path.append(here)  # last, so that a file here hides nothing installed
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # importing runs the user's code, which may raise anything
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"tools.enabled: cannot import {module_name!r}: {what}") from error
    functions = {key: value for key, value in vars(module).items() if inspect.isroutine(value)}
    if function_name not in functions:
        guess = nearest(function_name, functions)
        hint = f"; did you mean {guess!r}?" if guess else ""
        raise UsageError(f"tools.enabled: {module_name} has no function {function_name!r}{hint}")
    function: Callable[..., Any] = functions[function_name]
    return function
