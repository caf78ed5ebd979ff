"""A process with one engine and four sessions, then one more, that tells its memory.

Settings and texts come as JSON on standard input, sizes in MB (1,000,000 bytes) go to
standard output. Nothing but what speaking needs is imported.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence

from bot.config.schema import Settings
from bot.voice import build_engine
from speech.engine import SpeechEngine, SpeechSession
from speech.memory import peak_mb, resident_mb

SESSIONS = 4


async def main() -> dict[str, float]:
    """The sizes, every session having spoken each text."""
    order = json.loads(sys.stdin.read())
    settings = Settings.model_validate(order["settings"])
    sizes = {"libraries": resident_mb()}
    engine = build_engine(settings)
    await engine.start()
    sizes["one_engine"] = resident_mb()
    sessions = [await engine.open(settings.tts.voice) for _ in range(SESSIONS)]
    await asyncio.gather(*(_speak(session, order["texts"]) for session in sessions))
    sizes["one_engine_four_sessions"] = resident_mb()
    sizes["one_session_more"] = await _one_more(engine, settings, order["texts"])
    sizes["peak"] = peak_mb()
    await engine.aclose()
    return sizes


async def _one_more(engine: SpeechEngine, settings: Settings, texts: Sequence[str]) -> float:
    """What a fifth session adds, once it has spoken."""
    before = resident_mb()
    session = await engine.open(settings.tts.voice)
    await _speak(session, texts)
    return resident_mb() - before


async def _speak(session: SpeechSession, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        async for _chunk in session.speak(str(number), text):
            pass


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main())))
