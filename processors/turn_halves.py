"""An utterance in two pieces, of which the first was taken for all of it, is answered as one."""

from __future__ import annotations

from typing import Any, cast

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    InterruptionFrame,
    LLMContextFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext, LLMContextMessage
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor


class JoinedHalves(FrameProcessor):
    """Stands between the user aggregator and the model: makes one message of the user's last.

    Whoever goes on before anything of the answer was heard has not taken a new turn: the first
    answer was cut unheard, so nothing stands between the two messages. Small models answer only
    the last of several, and some chat templates refuse two of one role in a row.

    Not while the bot speaks: what is heard of an answer that nobody may cut is in the context only
    when it is over.
    """

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self._bot_speaks = False

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Join before the model is asked; pass everything on."""
        await super().process_frame(frame, direction)
        match frame:
            case BotStartedSpeakingFrame():
                self._bot_speaks = True
            case BotStoppedSpeakingFrame() | InterruptionFrame():
                self._bot_speaks = False
            case LLMContextFrame() if direction is FrameDirection.DOWNSTREAM:
                if not self._bot_speaks:
                    join_last(frame.context)
        await self.push_frame(frame, direction)


def join_last(context: LLMContext) -> None:
    """Make one message of the texts that the user said last, with nothing between them."""
    messages = cast("list[dict[str, Any]]", context.get_messages())
    first = len(messages)
    while first and _is_said(messages[first - 1]):
        first -= 1
    if len(messages) - first < 2:
        return
    text = " ".join(message["content"].strip() for message in messages[first:])
    joined = cast(LLMContextMessage, messages[first] | {"content": text})
    context.set_messages([*context.get_messages()[:first], joined])


def _is_said(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and message.get("role") == "user"
        and isinstance(message.get("content"), str)
    )
