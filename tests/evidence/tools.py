"""Tools that are evidence, for tests: they are done when a test says so."""

from __future__ import annotations

import asyncio

from bot.tools import Retracted, tool_options


class Office:
    """What the tools wait for and how often they were called; ``reset`` before each test."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.calls: list[str] = []
        self.open = asyncio.Event()
        self.answers: dict[str, str] = {}

    async def ask(self, what: str) -> str:
        self.calls.append(what)
        await self.open.wait()
        if what in self.answers:
            raise Retracted(self.answers[what])
        return f"{what} is done"


OFFICE = Office()


@tool_options(evidence=True)
async def book(what: str = "a table") -> str:
    """Book something."""
    return await OFFICE.ask(what)


@tool_options(evidence=True)
def pay() -> dict[str, str]:
    """Pay."""
    return {"error": "the card was refused"}


async def end_call() -> str:
    """End the call."""
    OFFICE.calls.append("end_call")
    return "ended"
