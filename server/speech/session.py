"""One WebSocket from its first message to its last."""

from __future__ import annotations

import asyncio
import contextlib
import time

from loguru import logger
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.listen import abort
from server.speech.dialogue import Dialogue
from server.speech.outbound import Outbound
from server.speech.pump import Pump
from server.speech.queue import UnitQueue
from server.speech.service import SpeechService
from server.speech.voices import Voices
from speech.wire import Closed, Draining, encode
from speech.wire.service import Reason

NORMAL, GOING_AWAY = 1000, 1001
CLOSE_S = 2.0
"""What a socket that is cut off gets to take the close frame."""

LINGER_S = 30.0
"""What is sent and still on its way when a session has ended gets so long to arrive."""


class SpeechSession:
    """Runs one accepted WebSocket; several tasks, all of which end with ``run``.

    It ends when the client leaves or closes, after ``idle_s`` without a message or audio
    (``first_message_s`` where there never was one), after ``session_s``, and when the server
    drains: always between two units, unless the client is gone or takes longer than ``drain_s``.
    """

    def __init__(self, service: SpeechService, socket: WebSocket) -> None:
        self._service, self._socket = service, socket
        self._outbound = Outbound(self._send)
        self._queue = UnitQueue()
        self._voices = Voices(service.engine)
        self._dialogue = Dialogue(service, self._queue, self._outbound, self._voices)
        self._pump = Pump(service, self._queue, self._outbound, self._dialogue.credit)
        self._reason: Reason = "client_closed"
        self._begun = self._last = time.monotonic()
        self._ending = asyncio.Event()
        self._heard = False
        self._parted = False

    async def run(self) -> None:
        """Serve the session to its end."""
        works = [self._pump.run(), self._read(), self._outbound.run(), self._watch()]
        tasks = [asyncio.create_task(work, name="speech-session") for work in works]
        said, *others = tasks
        linger_s = 0.0
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if said.done() and not any(task.done() for task in others):
                tasks.append(asyncio.create_task(self._say_goodbye()))
                await asyncio.wait([*others, tasks[-1]], return_when=asyncio.FIRST_COMPLETED)
                linger_s = LINGER_S if tasks[-1].done() else 0.0
        finally:
            await _cancelled(tasks)
            await self._voices.aclose()
            self._forget()
            await self._close(linger_s)
        _raise_first(tasks)

    async def _close(self, linger_s: float) -> None:
        with contextlib.suppress(TimeoutError, WebSocketDisconnect, RuntimeError):
            async with asyncio.timeout(CLOSE_S):
                code = NORMAL if self._reason == "client_closed" else GOING_AWAY
                await self._socket.close(code, self._reason)
        abort(self._socket, linger_s)
        self._log()

    def end(self, reason: Reason) -> None:
        """Take no new units, say the queued ones, close; the first reason counts."""
        if not self._ending.is_set():
            self._reason = reason
            self._ending.set()

    async def _read(self) -> None:
        """Until the client is gone."""
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                raw = await self._receive()
                self._last, self._heard = time.monotonic(), True
                await self._dialogue.take(raw)
                await asyncio.sleep(0)  # whoever sends thousands takes turns with the others

    async def _receive(self) -> str | bytes:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        text = message.get("text")
        return text if text is not None else message.get("bytes") or b""

    async def _send(self, data: str | bytes) -> None:
        if isinstance(data, str):
            await self._socket.send_text(data)
        else:
            await self._socket.send_bytes(data)
        self._last = time.monotonic()

    async def _watch(self) -> None:
        """End the session when its time has come; return when it then does not end."""
        limits = self._service.limits
        age = asyncio.get_running_loop().call_later(limits.session_s, self.end, "session_age")
        idle = asyncio.create_task(self._until_idle())
        try:
            await self._ending.wait()
            self._queue.end()
            self._dialogue.draining = True
            if self._dialogue.version and not self._parted:
                await self._outbound.message(encode(Draining(limits.drain_s, self._reason)))
            await asyncio.sleep(limits.drain_s)
        finally:
            age.cancel()
            await _cancelled([idle])

    async def _until_idle(self) -> None:
        while (left_s := self._last + self._idle_s - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._ending.wait()
                    return
        for unit in self._queue.waiting():
            unit.cancel()
        if self._queue.current:
            self._queue.current.cancel()
        self.end("idle")

    @property
    def _idle_s(self) -> float:
        limits = self._service.limits
        return limits.idle_s if self._heard else min(limits.idle_s, limits.first_message_s)

    async def _say_goodbye(self) -> None:
        """However slowly it is read; ``_watch`` ends a session that nobody reads."""
        self._parted = True
        if self._dialogue.version:
            await self._outbound.message(encode(Closed(self._reason, self._queue.spoken)))
        await self._outbound.flushed()

    def _log(self) -> None:
        logger.info(
            "A session ended: reason={} version={} units={} seconds={:.1f}",
            self._reason,
            self._dialogue.version,
            self._queue.spoken,
            time.monotonic() - self._begun,
        )

    def _forget(self) -> None:
        """Give back what the units that were never said had taken."""
        left = len(self._queue.all())
        self._service.metrics.queued.dec(left)
        if left:
            self._service.metrics.units.labels("left").inc(left)


async def _cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def _raise_first(tasks: list[asyncio.Task[None]]) -> None:
    """A task's own error, unless it is that the client is gone."""
    for task in tasks:
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, WebSocketDisconnect):
            raise error
