"""Our engine, as the bot builds it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from bench.options import Options
from bench.tts.contestant import Pcm
from bot.config.schema import Settings
from bot.voice import build_engine
from speech.engine import SpeechEngine, SpeechSession


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


def settings_of(options: Options, precision: str | None = None) -> Settings:
    """The settings with the measured threads, and another precision than configured if given."""
    changes: dict[str, Any] = {"threads": options.effective_threads}
    if precision is not None:
        changes["precision"] = precision
    tts = options.settings.tts.model_copy(update=changes)
    return options.settings.model_copy(update={"tts": tts})


@asynccontextmanager
async def open_ours(options: Options, precision: str | None = None) -> AsyncIterator[Ours]:
    """Our engine, warm; named ``ours``, or ``ours_fast`` and so on."""
    settings = settings_of(options, precision)
    engine = build_engine(settings)
    try:
        await engine.start()
        session = await engine.open(settings.tts.voice)
        yield Ours(f"ours_{precision}" if precision else "ours", engine, session)
    finally:
        await engine.aclose()
