"""A process with one engine and four sessions, then one more, that tells its memory.

Settings and texts come as JSON on standard input, sizes in MB (1,000,000 bytes) go to
standard output. Nothing but what speaking needs is imported.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.config.schema import Settings
from bot.voice import build_engine
from speech.engine import SpeechEngine, SpeechSession

SESSIONS = 4
_PAGE = Path("/proc/self/status")


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
    sizes["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES / 1e6
    await engine.aclose()
    return sizes


_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


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


def resident_mb() -> float:
    """Memory in use now; where the system does not tell, the most there was so far."""
    gc.collect()
    try:
        status = _PAGE.read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES / 1e6
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(main())))
