"""A stranger's page gets text into the conversation and nothing else, and learns no address."""

from __future__ import annotations

from typing import Any

import pytest
from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    InputTransportMessageFrame,
    OutputTransportMessageUrgentFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.processors.frameworks.rtvi.frames import RTVISendTextFrame
from pipecat.tests.utils import SleepFrame, run_test

from processors.visitors import FAILED, LONGEST_TEXT_CHARS, REFUSED, VisitorProtocol

LABEL = "rtvi-ai"


def message(kind: str, data: Any, **fields: Any) -> dict[str, Any]:
    return {"label": LABEL, "type": kind, "id": "7", "data": data} | fields


async def after(*frames: Frame) -> list[Frame]:
    """What the frames lead to further down."""
    settled = SleepFrame(sleep=0.05)
    down, _ = await run_test(VisitorProtocol(), frames_to_send=[*frames, settled])
    return list(down)


def told(frames: list[Frame]) -> list[Any]:
    return [f.message for f in frames if isinstance(f, OutputTransportMessageUrgentFrame)]


def says(frames: list[Frame]) -> list[str]:
    return [f.text for f in frames if isinstance(f, RTVISendTextFrame)]


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("What time is it?", ["What time is it?"]),
        ("bad \ud800 half\x00", ["bad \ufffd half"]),
        ("x" * (LONGEST_TEXT_CHARS + 1), []),
        (["a list"], []),
        (None, []),
    ],
)
async def test_typed_text_comes_in_clean_and_bounded(said: Any, taken: list[str]) -> None:
    options = {"run_immediately": False}
    frame = InputTransportMessageFrame(message("send-text", {"content": said, "options": options}))
    assert says(await after(frame)) == taken


FILE = {"format": "image/png", "source": {"type": "url", "url": "http://127.0.0.1:9/secret"}}


@pytest.mark.parametrize(
    "sent",
    [
        message("send-file", {"content": "Look.", "file": FILE}),
        message("raw-audio", {"base64Audio": "AAAA", "sampleRate": 1, "numChannels": 99}),
        message("raw-audio-batch", {"base64AudioBatch": ["AAAA"]}),
        message(
            "llm-function-call-result",
            {"function_name": "f", "tool_call_id": "1", "arguments": {}, "result": "secret"},
        ),
        message("dtmf", {"button": "1"}),
        message("client-message", {"t": "secret", "d": True}),
        message("client-message", {"t": "talk-key", "d": "secret"}),
        message("client-message", "secret"),
        message("secret", {}),
        message("send-text", "secret"),
        message("send-text", {"content": "secret"}, id={"secret": 1}),
        {"type": "send-text", "id": "7"},
        ["secret"],
        5,
        None,
    ],
)
async def test_all_else_is_refused_in_words_of_ours(sent: Any) -> None:
    frames = await after(InputTransportMessageFrame(sent))
    assert [type(frame) for frame in frames] == [OutputTransportMessageUrgentFrame]
    [refusal] = told(frames)
    assert refusal["data"] == {"error": REFUSED}
    assert "secret" not in str(refusal)


async def test_the_page_learns_that_something_failed_and_not_what() -> None:
    processor = VisitorProtocol()
    sent = [ErrorFrame("LLM at http://10.0.0.1/v1?api_key=secret failed"), SleepFrame(sleep=0.05)]
    down, up = await run_test(
        processor, frames_to_send=sent, frames_to_send_direction=FrameDirection.UPSTREAM
    )
    assert [m["data"]["error"] for m in told(list(down))] == [FAILED]
    assert [f.error for f in up if isinstance(f, ErrorFrame)] == [sent[0].error]
