"""Fixed texts, synthesised before they are needed."""

from __future__ import annotations

from contextlib import suppress

from speech.engine import PcmChunk, SpeechEngine
from speech.errors import EngineError


async def prepare_phrases(
    engine: SpeechEngine, voice: str, speed: float, texts: list[str]
) -> dict[str, list[PcmChunk]]:
    """Synthesise fixed texts ahead, for sessions to share.

    A text that fails is left out: it is then synthesised when it is needed.
    """
    phrases: dict[str, list[PcmChunk]] = {}
    session = await engine.open(voice, speed)
    try:
        for number, text in enumerate(texts):
            with suppress(EngineError):
                phrases[text.strip()] = [chunk async for chunk in session.speak(str(number), text)]
    finally:
        await session.aclose()
    return phrases
