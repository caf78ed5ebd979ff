"""What a visitor's page may ask of the bot, and what it is told when something fails."""

from __future__ import annotations

from typing import Any

from loguru import logger
from pipecat.frames.frames import Frame, InputTransportMessageFrame
from pipecat.processors.frame_processor import FrameDirection
from pipecat.processors.frameworks.rtvi import RTVIProcessor
from pipecat.processors.frameworks.rtvi import models as rtvi
from pydantic import BaseModel

from speech.text_clean import clean

TAKEN = frozenset({"client-ready", "disconnect-bot", "send-text", "client-message"})
"""What our page and pipecat's prebuilt one send; of client messages only the ``TALK_KEY``, which is
``true`` down and ``false`` up. The protocol has more: files, which the server
would fetch from any address; sound and tool results of the visitor's own making."""

TALK_KEY = "talk-key"

LONGEST_TEXT_CHARS = 4_000
"""About a thousand tokens: more than anyone types into a conversation."""

REFUSED = "This bot does not take such a message."
FAILED = "Something failed; the bot goes on."


class VisitorProtocol(RTVIProcessor):
    """pipecat's client protocol for strangers.

    Only messages that are ``TAKEN`` come in, a text clean and no longer than
    ``LONGEST_TEXT_CHARS``; the rest are refused, which the log tells once. Why something
    failed, addresses among it, is for the operator: the page is told that it did.
    """

    def __init__(self) -> None:
        super().__init__()
        self._refused = False

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if isinstance(frame, InputTransportMessageFrame):
            message = _taken(frame.message)
            if message is None:
                self._note_refusal()
                await self.push_transport_message(_refusal(frame.message))
                return
            frame.message = message
        await super().process_frame(frame, direction)

    def _note_refusal(self) -> None:
        if not self._refused:
            logger.warning("a visitor's page sends messages that this bot does not take")
        self._refused = True

    async def push_transport_message(self, model: BaseModel, exclude_none: bool = True) -> None:
        if isinstance(model, rtvi.Error):
            data = rtvi.ErrorData(error=FAILED, fatal=model.data.fatal)
            model = rtvi.Error(data=data)
        elif isinstance(model, rtvi.ErrorResponse):
            model = rtvi.ErrorResponse(id=model.id, data=rtvi.ErrorResponseData(error=REFUSED))
        await super().push_transport_message(model, exclude_none)


def _taken(message: Any) -> dict[str, Any] | None:
    """The message as it may come in, or None."""
    if not isinstance(message, dict) or message.get("label") != rtvi.MESSAGE_LABEL:
        return None
    kind, key, data = (message.get(name) for name in ("type", "id", "data"))
    if not isinstance(kind, str) or kind not in TAKEN or not isinstance(key, str):
        return None
    if kind in ("client-ready", "disconnect-bot"):
        return message
    if not isinstance(data, dict):
        return None
    if kind == "client-message":
        is_key = data.get("t") == TALK_KEY and isinstance(data.get("d"), bool)
        return message if is_key else None
    content = data.get("content")
    if not isinstance(content, str) or len(content) > LONGEST_TEXT_CHARS:
        return None
    return message | {"data": data | {"content": clean(content)}}


def _refusal(message: Any) -> rtvi.ErrorResponse:
    key = message.get("id") if isinstance(message, dict) else None
    known = clean(key)[:100] if isinstance(key, str) else ""
    return rtvi.ErrorResponse(id=known, data=rtvi.ErrorResponseData(error=REFUSED))
