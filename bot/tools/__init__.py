"""Functions the model may call.

A tool is a plain Python function, sync or async, with a docstring and type hints::

    from typing import Literal

    def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> str:
        \"\"\"The weather in a city now.

        Args:
            city: The city's name.
        \"\"\"
        return f"Sunny in {city}."

Save it in a module that can be imported (``my_tools.py`` in the folder Earshot is started in)
and name it in the configuration: ``tools: {enabled: [current_time, "my_tools:weather"]}``. Name,
description and parameters given to the model come from the function. Hints may be ``str``,
``int``, ``float``, ``bool``, ``Literal`` of strings or integers, ``list`` of these, and
``Optional``; a default makes a parameter optional. A parameter annotated ``ToolContext`` is
not shown to the model: it gives the tool the conversation (``say``, ``announce``, ``spawn``
from async functions, the clock).
Raise ``ToolError`` with a sentence the model can pass on. A sync function runs in a thread.

Where the model would say what only the call makes true, mark the function, and raise or
return ``Retracted`` when it turns out otherwise (docs/evidence.md)::

    from bot.tools import Retracted, tool_options

    @tool_options(evidence=True)
    async def book_table(people: int) -> str:
        \"\"\"Book a table for tonight.\"\"\"
        if not await free(people):
            raise Retracted("All tables are taken tonight.")
        return "Booked."
"""

from bot.tools.context import Clock, Retracted, SystemClock, ToolContext, ToolError
from bot.tools.options import tool_options
from bot.tools.registry import load_tools
from bot.tools.tool import Tool

__all__ = [
    "Clock",
    "Retracted",
    "SystemClock",
    "Tool",
    "ToolContext",
    "ToolError",
    "load_tools",
    "tool_options",
]
