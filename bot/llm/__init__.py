"""The language model: which one, how it is asked, and what happens when it fails."""

from bot.llm.endpoint import LlmEndpoint
from bot.llm.select import open_llm

__all__ = ["LlmEndpoint", "open_llm"]
