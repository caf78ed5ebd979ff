"""What the bot does after a noise has cut it off."""

from __future__ import annotations

from typing import Any, cast

from pipecat.frames.frames import TTSSpeakFrame
from pipecat.processors.aggregators.llm_context import LLMContext, LLMContextMessage
from pipecat.processors.aggregators.llm_response_universal import (
    AssistantTurnStoppedMessage,
    LLMContextAggregatorPair,
    UserTurnStoppedMessage,
)

from processors.nothing_heard import EndsOnNothingHeard

GO_ON_PROMPT = (
    "A noise cut off your last answer; nobody said anything. Go on from where you stopped, "
    "without repeating what you have said and without mentioning the noise."
)

MAX_CONTINUATIONS = 2
"""Cut-off answers continued in a row without a word of the user: a running drill must not keep
the bot talking."""


class NoiseRecovery:
    """Answers the turns in which nothing was heard; replaces pipecat's ``empty_user_turn``.

    The voice detector's start of speech interrupts the bot at once. If it was only noise then
    - a question not answered yet is answered after all, from the same context (no message
      is added, so the model sees it once);
    - an answer cut off in the middle is continued, by a developer message;
    - a bot that was waiting for the user goes on waiting.
    If words were lost because the recogniser failed, ``apology`` is spoken. Without
    ``interruptions`` by the detector a noise stops nothing, and only the apology is left;
    a barge-in policy then says itself when to ``answer_again``.
    """

    def __init__(
        self,
        aggregators: LLMContextAggregatorPair,
        context: LLMContext,
        *,
        apology: str,
        interruptions: bool = True,
    ) -> None:
        self._user = aggregators.user()
        self._context = context
        self._apology = apology
        self._interruptions = interruptions
        self._cut_off = False
        self._continuations = 0
        self._user.add_event_handler("on_user_turn_stopped", self._on_user_turn_stopped)
        aggregators.assistant().add_event_handler(
            "on_assistant_turn_stopped", self._on_assistant_turn_stopped
        )

    async def _on_assistant_turn_stopped(
        self, _aggregator: Any, message: AssistantTurnStoppedMessage
    ) -> None:
        self._cut_off = message.interrupted

    async def _on_user_turn_stopped(
        self, _aggregator: Any, strategy: Any, message: UserTurnStoppedMessage
    ) -> None:
        if message.content:
            self._cut_off = False
            self._continuations = 0
        elif isinstance(strategy, EndsOnNothingHeard) and strategy.nothing_heard == "failed":
            await self._apologise()
        elif self._interruptions:
            await self.answer_again()

    async def answer_again(self) -> None:
        """Have the question answered that is not answered yet, or the answer continued that was
        cut off; nothing where neither is."""
        if self._awaits_answer():
            await self._user.push_context_frame()
        elif self._cut_off and self._continuations < MAX_CONTINUATIONS:
            await self._go_on()

    async def _apologise(self) -> None:
        if self._apology:
            await self._user.push_frame(TTSSpeakFrame(self._apology))

    def _awaits_answer(self) -> bool:
        """Whether the last word is the user's, or a tool's result."""
        messages = self._context.get_messages()
        last = cast("dict[str, Any]", messages[-1]) if messages else {}
        return last.get("role") == "user" or (
            last.get("role") == "tool" and last.get("content") != "IN_PROGRESS"
        )

    async def _go_on(self) -> None:
        self._cut_off = False
        self._continuations += 1
        self._context.add_message(
            cast(LLMContextMessage, {"role": "developer", "content": GO_ON_PROMPT})
        )
        await self._user.push_context_frame()
