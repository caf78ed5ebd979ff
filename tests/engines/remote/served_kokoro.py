"""The real Kokoro behind the real server, as one engine."""

from __future__ import annotations

from contextlib import AsyncExitStack

from speech.engine import SpeechSession, Stamp
from speech.engines.kokoro_onnx import KokoroOnnxEngine
from speech.engines.server import ServerEngine
from speech.kokoro.streaming import StreamingKokoro
from tests.engines.remote.served import served

_kept: list[StreamingKokoro] = []


class KeptKokoro(KokoroOnnxEngine):
    """Its weights are loaded once for all of them."""

    def _load_model(self) -> StreamingKokoro:
        if not _kept:
            _kept.append(super()._load_model())
        return _kept[0]


class ServedKokoro:
    """Starts and ends its server with itself."""

    name, sample_rate = "server", 24_000

    def __init__(self, kokoro: KokoroOnnxEngine) -> None:
        self._kokoro, self._stack = kokoro, AsyncExitStack()
        self._client: ServerEngine | None = None

    async def start(self) -> None:
        await self._kokoro.start()
        if self._client is None:
            url = await self._stack.enter_async_context(served(self._kokoro))
            self._client = ServerEngine(url)
            self._stack.push_async_callback(self._client.aclose)
        await self._client.start()

    def voices(self) -> list[str]:
        return self._client.voices() if self._client else []

    async def calibrate(self, voice: str) -> bool:
        await self.start()
        return await self._kokoro.calibrate(voice)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpeechSession:
        if self._client is None:
            await self.start()
        assert self._client is not None
        return await self._client.open(voice, speed, stamp=stamp)

    async def aclose(self) -> None:
        await self._stack.aclose()
        await self._kokoro.aclose()
