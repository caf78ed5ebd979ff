"""A speech server at the other end of a link, in memory, that ends where a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from speech.engine import PcmChunk
from speech.engines.link import LinkEndedError
from speech.wire import (
    Busy,
    Cancel,
    Cancelled,
    Close,
    Credit,
    Done,
    Draining,
    Error,
    FrameJoiner,
    Hello,
    Limits,
    Ping,
    Pong,
    Ready,
    Speak,
    SpokenWord,
    Started,
    SynthesisComplete,
    SynthesisError,
    SynthesisStart,
    Synthesize,
    Words,
    encode,
    parse_client,
    parse_client_0,
)
from tests.engines.fake_voice import RATE_HZ, WORD, fake_chunks

LIMITS = Limits(
    text_chars=100, units_queued=8, message_bytes=100_000, frame_bytes=32_000,
    session_s=1_800, idle_s=60,
)  # fmt: skip


class FakeServer:
    """``dies`` and ``stops`` are, for each connection in order, after how many audio frames it
    ends or says no more; missing or None: never. ``refuses`` is raised by ``connect``."""

    def __init__(
        self,
        *,
        version: int = 1,
        sizes: tuple[int, ...] = (WORD,),
        dies: tuple[int | None, ...] = (),
        stops: tuple[int | None, ...] = (),
        limits: Limits = LIMITS,
        lifetime_s: float | None = None,
    ) -> None:
        self.version, self.sizes, self.dies, self.stops = version, sizes, dies, stops
        self.limits, self.lifetime_s = limits, lifetime_s
        self.refuses: Exception | None = None
        self.answer: list[object] = []
        """Said in place of speaking, to each unit in order; for its ``id`` the unit's is put.
        None: that unit is spoken."""
        self.mute = self.blocked = self.hangs = False
        """Answers nothing; takes nothing; a link's end is not answered either."""
        self.odd = False
        """Version 0: frames end in the middle of a sample."""
        self.links: list[FakeLink] = []
        self.asked: list[str] = []

    async def connect(self) -> FakeLink:
        if self.refuses is not None:
            raise self.refuses
        self.links.append(FakeLink(self, len(self.links)))
        return self.links[-1]

    @property
    def open(self) -> int:
        return sum(not link.closed for link in self.links)

    def kill(self) -> None:
        """Every connection breaks."""
        for link in self.links:
            link.end("the connection broke")


class FakeLink:
    def __init__(self, server: FakeServer, number: int) -> None:
        self.lifetime_s = server.lifetime_s
        self._server = server
        self._out: asyncio.Queue[str | bytes | Exception] = asyncio.Queue()
        self._frames = 0
        self._dies = _nth(server.dies, number)
        self._stops = _nth(server.stops, number)
        self._saying: dict[str, asyncio.Task[None]] = {}
        self._given = asyncio.Event()
        self.heard: list[object] = []
        self.credit = 0
        self.closed = self.was_lost = False
        self.sent = 0
        self.units = 0

    async def send(self, text: str) -> None:
        if self._server.blocked:
            await asyncio.sleep(1e9)
        if self.closed:
            raise LinkEndedError("the link is closed")
        if self._server.version == 0:
            self._take_0(text)
        else:
            self._take(parse_client(text))

    async def receive(self) -> str | bytes:
        item = await self._out.get()
        if isinstance(item, Exception):
            self._out.put_nowait(item)
            raise item
        return item

    def lost(self) -> None:
        self.was_lost = True

    async def aclose(self) -> None:
        self.end("closed by the client")
        if self._server.hangs:
            await asyncio.sleep(1e9)

    def end(self, why: str) -> None:
        self.closed = True
        for saying in self._saying.values():
            saying.cancel()
        self._out.put_nowait(LinkEndedError(why))

    def say(self, message: object) -> None:
        """Send this; text, bytes or a message."""
        raw = message if isinstance(message, (str, bytes)) else encode(message)
        self._out.put_nowait(raw)

    def _take(self, message: object) -> None:
        self.heard.append(message)
        if self._server.mute:
            return
        match message:
            case Hello():
                self.credit = (message.credit_ms or 0) * RATE_HZ // 1000
                voices = ("fake", "other")
                self.say(Ready(1, "fake", RATE_HZ, (RATE_HZ,), voices, self._server.limits))
            case Credit():
                self.credit += message.ms * RATE_HZ // 1000
                self._given.set()
            case Ping():
                self.say(Pong(message.nonce))
            case Speak():
                self._speak(message)
            case Cancel():
                saying = self._saying.pop(message.id, None)
                if saying is not None:
                    saying.cancel()
                    self.say(Cancelled(message.id, 0.0))
            case Close():
                self.end("closed")

    def _speak(self, speak: Speak) -> None:
        self._server.asked.append(speak.text)
        self.units += 1
        answer = self._server.answer.pop(0) if self._server.answer else None
        if answer is not None:
            if isinstance(answer, (Busy, Error)):
                fields = {name: getattr(answer, name) for name in answer.__slots__}
                answer = type(answer)(**{**fields, "id": speak.id})
            for item in answer if isinstance(answer, tuple) else (answer,):
                self.say(item)
            return
        saying = asyncio.create_task(self._say_unit(speak, self.units))
        self._saying[speak.id] = saying

    async def _say_unit(self, speak: Speak, number: int) -> None:
        joiner = FrameJoiner(number)
        self.say(Started(speak.id, number))
        for chunk in fake_chunks(speak.id, speak.text, self._server.sizes):
            if chunk.words:
                words = tuple(SpokenWord(w.text, w.start, w.end) for w in chunk.words)
                self.say(Words(speak.id, words))
            for frame in joiner.split(chunk.samples):
                while self.credit < len(frame.samples):
                    self._given.clear()
                    await self._given.wait()
                await self._frame(frame.pack(), len(frame.samples))
        self._saying.pop(speak.id, None)
        self.say(Done(speak.id, joiner.samples / RATE_HZ, 0.1, joiner.samples))

    async def _frame(self, data: bytes, samples: int) -> None:
        """Send it, unless this is where the link ends or falls silent."""
        if self._frames == self._dies:
            self.end("it died")
            await asyncio.sleep(1e9)
        if self._frames == self._stops:
            self._server.mute = True
            await asyncio.sleep(1e9)
        self._frames += 1
        self.credit -= samples
        self.sent += samples
        self.say(data)
        await asyncio.sleep(0)

    def _take_0(self, text: str) -> None:
        if '"hello"' in text:
            self.say(SynthesisError("unknown", "text required"))
            return
        request = parse_client_0(text)
        assert isinstance(request, Synthesize)
        self._server.asked.append(request.text)
        self.units += 1
        self._saying[str(request.request_id)] = asyncio.create_task(self._say_0(request))

    async def _say_0(self, request: Synthesize) -> None:
        assert isinstance(request.request_id, str)
        self.say(SynthesisStart(request.request_id))
        total = 0
        for chunk in _cut(request, self._server.sizes):
            total += len(chunk.samples)
            pcm = chunk.samples.astype("<i2").tobytes()
            if self._server.odd:
                await self._frame(pcm[:1], 0)
            await self._frame(pcm[self._server.odd :], 0)
        self.say(SynthesisComplete(request.request_id, total / RATE_HZ, 0.1))


def _cut(request: Synthesize, sizes: tuple[int, ...]) -> Iterator[PcmChunk]:
    yield from fake_chunks("0", request.text, sizes)


def _nth(values: tuple[int | None, ...], number: int) -> int | None:
    return values[number] if number < len(values) else None


__all__ = ["LIMITS", "Draining", "FakeLink", "FakeServer"]
