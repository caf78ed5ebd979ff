"""The engines on Amazon's services, each with a container and the emulator behind it."""

from __future__ import annotations

import asyncio
import importlib.util
import weakref
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager

from server.speech.app import SpeechServer
from server.speech.service import SpeechService
from speech.engine import ENGINE_RATE_HZ, SpeechEngine, SpeechSession, Stamp
from speech.engines.polly import PollyEngine
from speech.engines.sagemaker import SagemakerEngine
from speech.errors import EngineError
from tests.aws.container import FakeContainer, served
from tests.aws.emulator import ENDPOINT, Emulator
from tests.aws.hooks import Hooks
from tests.aws.tone_voice import ToneVoice
from tests.support import require

Make = Callable[[Emulator], SpeechEngine]


class Emulated:
    """An engine whose services start and end with it.

    ``ours`` puts our speech server with ``voice`` behind the emulator, else ``container``.
    """

    sample_rate = ENGINE_RATE_HZ

    def __init__(self, name: str, make: Make, *, ours: bool = False) -> None:
        self.name, self._make = name, make
        self.hooks = Hooks()
        self.voice, self.container = ToneVoice(), FakeContainer()
        self.service, app = served_by(self.voice)
        self._app = app if ours else self.container.asgi
        self._stack = AsyncExitStack()
        self._starting = asyncio.Lock()
        self._engine: SpeechEngine | None = None
        self._closed = False
        _LIVE.add(self)

    async def start(self) -> None:
        async with self._starting:
            if self._closed:
                raise EngineError("the speech engine is closed")
            if self._engine is None:
                address = await self._stack.enter_async_context(served(self._app))
                emulator = Emulator(address, self.hooks)
                self._engine = self._make(await self._stack.enter_async_context(emulator))
                self.emulator = emulator
            await self._engine.start()

    def voices(self) -> list[str]:
        assert self._engine is not None
        return self._engine.voices()

    async def calibrate(self, voice: str) -> bool:
        await self.start()
        assert self._engine is not None
        return await self._engine.calibrate(voice)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpeechSession:
        await self.start()
        assert self._engine is not None
        return await self._engine.open(voice, speed, stamp=stamp)

    async def aclose(self) -> None:
        self._closed = True
        if self._engine is not None:
            await self._engine.aclose()
        await self._stack.aclose()

    def fail(self, failing: bool) -> None:
        """Every unit fails after its first sound, or none does."""
        self.voice.failing = self.container.failing = failing
        if self.name.startswith("polly"):
            self.hooks.fail_after = 0 if failing else None


def served_by(voice: SpeechEngine) -> tuple[SpeechService, Callable[..., object]]:
    """Our speech server with a voice, and its application."""
    service = SpeechService(voice)
    service.be_ready()
    return service, SpeechServer(service).asgi


_LIVE: weakref.WeakSet[Emulated] = weakref.WeakSet()


@contextmanager
def failing(session: SpeechSession) -> Iterator[None]:
    """Units fail while this is entered."""
    for engine in _LIVE:
        engine.fail(True)
    yield
    for engine in _LIVE:
        engine.fail(False)


def _require_sdk() -> None:
    found = importlib.util.find_spec("aws_sdk_sagemaker_runtime_http2")
    require(found, "Amazon's SDK: pip install 'earshot[aws]' (Python 3.12)")


def sagemaker() -> Emulated:
    """Version 1, with our speech server in the container."""
    _require_sdk()
    return Emulated(
        "sagemaker", lambda front: SagemakerEngine(ENDPOINT, **front.reach()), ours=True
    )


def sagemaker_0() -> Emulated:
    """Version 0, with a container like the reference's."""
    _require_sdk()
    return Emulated(
        "sagemaker 0", lambda front: SagemakerEngine(ENDPOINT, protocol=0, **front.reach())
    )


def sagemaker_calls() -> Emulated:
    """A call for each unit, with a container like the reference's."""
    _require_sdk()
    return Emulated(
        "sagemaker calls",
        lambda front: SagemakerEngine(ENDPOINT, mode="stream", **front.reach(plain=True)),
    )


def polly() -> Emulated:
    """Bidirectional streams."""
    _require_sdk()
    return Emulated("polly", lambda front: PollyEngine(**front.reach()))


def polly_classic() -> Emulated:
    """A call for each unit."""
    _require_sdk()
    return Emulated(
        "polly classic", lambda front: PollyEngine(mode="classic", **front.reach(plain=True))
    )
