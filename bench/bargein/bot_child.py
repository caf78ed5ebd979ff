"""The bot under test, in a process of its own: `python -m bench.bargein.bot_child`.

The first line of standard input holds the settings; each further one asks for something to be
done (``ask``, ``stop``, ``messages``, ``stats``, ``end``). Standard output has a line of JSON for
every timeline event, with its time on ``time.monotonic``, which all processes of a machine
share, and for every piece of audio and text that the voice hands on: that is the reference
that a recording of the loudspeaker is compared with.
"""

from __future__ import annotations

import asyncio
import base64
import json
import queue
import sys
import threading
from typing import Any

from pipecat.frames.frames import (
    InterruptionFrame,
    LLMMessagesAppendFrame,
    TTSAudioRawFrame,
    TTSTextFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.services.tts_service import TTSService

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.conversation import Conversation
from bot.logs import set_up_logging
from bot.parts import open_parts
from bot.talk import _params
from speech.barge_in.events import Stop
from speech.timeline import Timeline, TimelineEvent
from transports.local import LocalTransport


class Out:
    """Lines of JSON, written by a thread, so that a slow reader does not hold the bot."""

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def put(self, line: dict[str, Any]) -> None:
        self._lines.put(line)

    def close(self) -> None:
        self._lines.put(None)
        self._thread.join(5)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()


class Voiced(BaseObserver):
    """What the voice hands on: audio, and each word behind the samples it ends in."""

    def __init__(self, out: Out) -> None:
        super().__init__(observe_every_push=False)
        self._out = out

    async def on_push_frame(self, data: FramePushed) -> None:
        if not isinstance(data.source, TTSService):
            return
        frame = data.frame
        if isinstance(frame, TTSAudioRawFrame):
            audio = base64.b64encode(frame.audio).decode()
            self._out.put({"audio": audio, "rate_hz": frame.sample_rate, "reply": frame.context_id})
        elif isinstance(frame, TTSTextFrame):
            self._out.put({"text": frame.text, "reply": frame.context_id})


async def main() -> None:
    """Talk until told to end."""
    reader = await _stdin()
    settings = Settings.model_validate_json(await reader.readline())
    set_up_logging(settings)
    out = Out()
    timeline = Timeline()
    timeline.subscribe(lambda event: out.put(_line(event)))
    transport = LocalTransport(_params(settings.audio), timeline)
    await transport.open()
    try:
        async with open_parts(settings, Secrets(), notify=lambda line: None) as parts:
            conversation = Conversation(parts, transport, timeline)
            conversation.worker.add_observer(Voiced(out))
            out.put({"ready": transport.describe()})
            running = asyncio.create_task(conversation.run())
            await _obey(reader, conversation, transport, out)
            await conversation.cancel()
            await running
    finally:
        await transport.aclose()
        out.close()


async def _obey(
    reader: asyncio.StreamReader, conversation: Conversation, transport: LocalTransport, out: Out
) -> None:
    while line := await reader.readline():
        match json.loads(line):
            case {"do": "ask", "text": text}:
                asked: Any = [{"role": "user", "content": text}]
                await conversation.worker.queue_frame(LLMMessagesAppendFrame(asked, run_llm=True))
            case {"do": "stop"}:
                await _stop(conversation)
            case {"do": "messages"}:
                out.put({"messages": conversation.messages})
            case {"do": "stats"}:
                out.put({"stats": transport.stats.as_dict()})
            case {"do": "end"}:
                return


async def _stop(conversation: Conversation) -> None:
    """An explicit stop, without a voice; pipecat's own way knows none but the frame."""
    control = conversation._barge_in  # the application has no stop button yet
    if control is None:
        await conversation.worker.queue_frame(InterruptionFrame())
    else:
        control.take(Stop(control.now()))


def _line(event: TimelineEvent) -> dict[str, Any]:
    record: dict[str, Any] = {"name": event.name, "at": event.at, "reply": event.reply_id}
    return record | {"fields": event.fields}


async def _stdin() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    return reader


if __name__ == "__main__":
    asyncio.run(main())
