"""How often a model may call tools before it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loguru import logger

from bot.llm.answer import Answer

MAX_TOOL_ROUNDS = 8
"""For one thing the user said. Useful chains take two or three; more is a model in a loop."""


class ToolRounds:
    """Counts the answers that call tools since the user last spoke."""

    def __init__(self, most: int = MAX_TOOL_ROUNDS) -> None:
        self._most = most
        self._rounds = 0
        self._users = 0

    def more(self, messages: Sequence[Any]) -> bool:
        """Whether the model may call tools in answer to these messages."""
        users = sum(message.get("role") == "user" for message in messages)
        if users != self._users:
            self._users, self._rounds = users, 0
        if self._rounds < self._most:
            return True
        logger.warning("the model called tools {} times: asking it without", self._rounds)
        return False

    def count(self, answer: Answer) -> None:
        """An answer has come."""
        self._rounds += answer.calls_tools
