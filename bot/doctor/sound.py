"""Checks of the sound card, asked in a child process."""

from __future__ import annotations

from typing import Any

from bot.config.schema import AudioSettings
from bot.doctor.check import Check
from bot.doctor.child import ChildError, ask_child
from bot.doctor.install import PORTAUDIO, how_to_install

CHILD = "bot.doctor.sound_child"
DEADLINE_S = 18.0
PAGE = "connect one, or talk in the browser: earshot web"


def check_sound(audio: AudioSettings) -> list[Check]:
    """PortAudio, microphone and speaker."""
    try:
        found = ask_child(CHILD, [audio.model_dump_json()], DEADLINE_S)
    except ChildError as error:
        return [
            Check("sound", "fail", f"the sound system fails: {error}", "restart it, then again")
        ]
    return judge(audio, found)


def judge(audio: AudioSettings, found: dict[str, Any]) -> list[Check]:
    """The checks for what the child found. No sound card is a warning: there is the page."""
    if "error" in found:
        what = found["error"].partition(":")[0]
        fix = f"{how_to_install(PORTAUDIO)}, or talk in the browser: earshot web"
        return [Check("portaudio", "warn", what, fix)]
    checks = [Check("portaudio", "ok", f"{len(found['devices'])} devices")]
    checks.append(_device("microphone", found["input"], found, "inputs", audio.input_device))
    checks.append(_device("speaker", found["output"], found, "outputs", audio.output_device))
    return checks


def _device(
    name: str, one: dict[str, str], found: dict[str, Any], side: str, wanted: str | int | None
) -> Check:
    choices = [f"{d['number']}: {d['name']}" for d in found["devices"] if d[side]]
    if "device" in one:
        others = f" (of {len(choices)}: {', '.join(choices)})" if len(choices) > 1 else ""
        return Check(name, "ok", one["device"] + others)
    what, _, fix = one["error"].partition(":")
    if wanted is not None:  # the user named it, so talk fails
        return Check(name, "fail", one["error"].partition(";")[0], fix.strip() or "earshot doctor")
    return Check(name, "warn", what, PAGE if not choices else fix.strip())
