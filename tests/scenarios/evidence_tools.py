"""A slow restaurant, for the scenarios of the evidence gate."""

from __future__ import annotations

import asyncio

from bot.tools import Retracted, tool_options

LARGEST_TABLE = 6


@tool_options(evidence=True)
async def book_table(people: int, after_s: float = 0.5) -> str:
    """Book a table for tonight.

    Args:
        people: How many are coming.
        after_s: How long the restaurant takes.
    """
    await asyncio.sleep(after_s)
    if people > LARGEST_TABLE:
        raise Retracted("All large tables are taken tonight.")
    return "Booked."
