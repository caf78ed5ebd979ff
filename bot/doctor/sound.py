"""Checks of the sound card, asked in a child process."""

from __future__ import annotations

from typing import Any

from bot.config.schema import AudioSettings
from bot.doctor.check import Check
from bot.doctor.child import ChildError, ask_child
from bot.doctor.install import PORTAUDIO, how_to_install

CHILD = "bot.doctor.sound_child"
DEADLINE_S = 18.0
SILENT_DBFS = -90
"""A live microphone, even a muted one with its noise, is above it; digital silence is not."""

PAGE = "connect one, or talk in the browser: earshot web"


def check_sound(audio: AudioSettings, *, tone: bool) -> list[Check]:
    """PortAudio, microphone and speaker; with ``tone`` one is played and recorded."""
    arguments = [audio.model_dump_json(), *(["--tone"] if tone else [])]
    try:
        found = ask_child(CHILD, arguments, DEADLINE_S)
    except ChildError as error:
        return [
            Check("sound", "fail", f"the sound system fails: {error}", "restart it, then again")
        ]
    return judge(audio, found, tone=tone)


def judge(audio: AudioSettings, found: dict[str, Any], *, tone: bool) -> list[Check]:
    """The checks for what the child found. No sound card is a warning: there is the page."""
    if "error" in found:
        what = found["error"].partition(":")[0]
        fix = f"{how_to_install(PORTAUDIO)}, or talk in the browser: earshot web"
        return [Check("portaudio", "warn", what, fix)]
    checks = [Check("portaudio", "ok", f"{len(found['devices'])} devices")]
    checks.append(_device("microphone", found["input"], found, "inputs", audio.input_device))
    checks.append(_device("speaker", found["output"], found, "outputs", audio.output_device))
    if tone:
        checks.append(_tone(found.get("tone", {"error": "needs a microphone and a speaker"})))
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


def _tone(tone: dict[str, Any]) -> Check:
    if "error" in tone:
        return Check("tone", "fail", tone["error"], "choose other devices with audio.input_device")
    delays = f"device delays {tone['input_ms']} ms in, {tone['output_ms']} ms out"
    if tone["heard"]:
        levels = f"heard at {tone['tone_dbfs']} dBFS over noise at {tone['noise_dbfs']} dBFS"
        trip = f"{tone['round_trip_ms']} ms from program to program"
        return Check("tone", "ok", f"{levels}, {trip}, {delays}")
    noise = tone["noise_dbfs"]
    if noise <= SILENT_DBFS:
        fix = "unmute the microphone, allow it in the system's settings, or choose another"
        return Check("tone", "warn", f"the microphone is silent ({noise} dBFS), {delays}", fix)
    fix = "fine with headphones; otherwise turn the speaker up or choose another"
    return Check("tone", "warn", f"played, but not heard (noise {noise} dBFS), {delays}", fix)
