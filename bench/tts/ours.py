"""Our engine, as the bot builds it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from bench.options import Options
from bench.tts.contestant import Pcm
from bot.config.schema import Settings, TtsSettings
from bot.voice import build_engine
from speech.engine import SpeechEngine, SpeechSession
from speech.errors import UsageError


class Ours:
    """One session of an engine; ``unit`` is the id of the unit spoken last."""

    def __init__(self, name: str, engine: SpeechEngine, session: SpeechSession) -> None:
        self.name, self.engine, self.session = name, engine, session
        self.unit = 0

    @property
    def precision(self) -> str | None:
        """What the engine computes in, where it tells."""
        return getattr(self.engine, "precision", None)

    async def speak(self, text: str) -> AsyncGenerator[Pcm]:
        """The chunks' samples."""
        self.unit += 1
        stream: Any = self.session.speak(str(self.unit), text)
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                yield chunk.samples

    def cancel(self) -> None:
        """Cancel the unit spoken last."""
        self.session.cancel(str(self.unit))


def settings_of(options: Options, *, fast: bool = False) -> Settings:
    """The settings with the measured threads and precision. Raises ``UsageError``."""
    changes: dict[str, Any] = {"threads": options.effective_threads}
    if fast:
        if "precision" not in TtsSettings.model_fields:
            raise UsageError("this version has no tts.precision; leave --fast out")
        changes["precision"] = "fast"
    tts = options.settings.tts.model_copy(update=changes)
    return options.settings.model_copy(update={"tts": tts})


@asynccontextmanager
async def open_ours(options: Options, *, fast: bool = False) -> AsyncIterator[Ours]:
    """Our engine, warm."""
    settings = settings_of(options, fast=fast)
    engine = build_engine(settings)
    try:
        await engine.start()
        session = await engine.open(settings.tts.voice)
        yield Ours("ours_fast" if fast else "ours", engine, session)
    finally:
        await engine.aclose()
