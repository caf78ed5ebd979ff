"""Checks of a voice that is not on this machine."""

from __future__ import annotations

import asyncio

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.doctor.check import Check
from speech.errors import EarshotError

DEADLINE_S = 12.0


def check_remote_voice(settings: Settings, secrets: Secrets) -> list[Check]:
    """Whether each remote engine answers and has the voice; it is asked to speak nothing."""
    from bot.voice import LOCAL  # loads the speech stack

    names = [name for name in settings.tts.engines if name not in LOCAL]
    return [_check(name, settings, secrets) for name in names]


def _check(name: str, settings: Settings, secrets: Secrets) -> Check:
    title, voice = f"voice {name}", settings.tts.voice_of(name)
    try:
        voices = asyncio.run(_voices(name, settings, secrets))
    except EarshotError as error:
        fix = f"see docs/remote-voice.md; tts.{name} names it"
        return Check(title, "fail", str(error), fix)
    except TimeoutError:
        return Check(title, "fail", f"no answer within {DEADLINE_S:.0f} s", "check the network")
    return Check(title, "ok", f"it answers; {voice}, of {voices} voices")


async def _voices(name: str, settings: Settings, secrets: Secrets) -> int:
    from bot.voice import build_one

    engine = build_one(name, settings, secrets)
    try:
        async with asyncio.timeout(DEADLINE_S):
            await engine.calibrate(settings.tts.voice_of(name))
        return len(engine.voices())
    finally:
        await engine.aclose()
