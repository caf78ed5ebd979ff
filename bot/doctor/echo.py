"""Measures loudspeaker, room and microphone, and says how to talk with them."""

from __future__ import annotations

from typing import Any

from bot.config.loader import value_at
from bot.config.schema import Settings
from bot.doctor.acoustics import Acoustics
from bot.doctor.advice import advise
from bot.doctor.check import Check, Probe, Status
from bot.doctor.child import ChildError, ask_child
from bot.doctor.duplex import TOTAL_S

CHILD = "bot.doctor.echo_child"
CHILD_DEADLINE_S = TOTAL_S + 15.0
"""Devices take seconds to open and to wake."""

SILENT_DBFS = -90
"""A live microphone, even a muted one with its noise, is above it; digital silence is not."""

OTHER_DEVICES = "choose other devices with audio.input_device and audio.output_device"

WARNING = f"Test sounds for {TOTAL_S:.0f} s, softer than the bot's voice; please be quiet."


def echo_probe(settings: Settings) -> Probe:
    """Makes sound (see ``WARNING``). To be run alone: a busy machine lets a sound card run dry."""
    return Probe("echo", lambda: _check_echo(settings), CHILD_DEADLINE_S + 2.0)


def _check_echo(settings: Settings) -> list[Check]:
    try:
        figures = ask_child(CHILD, [settings.audio.model_dump_json()], CHILD_DEADLINE_S)
    except ChildError as error:
        return [Check("echo", "fail", f"cannot be measured: {error}", "restart the sound system")]
    return judge_echo(settings, figures)


def judge_echo(settings: Settings, figures: dict[str, Any]) -> list[Check]:
    """The checks for what the child measured: the echo, and how to talk."""
    if "error" in figures:
        what, _, fix = figures["error"].partition(":")
        return [Check("echo", "fail", what, fix.strip() or OTHER_DEVICES)]
    found = Acoustics(**figures)
    if not found.heard and found.noise_dbfs <= SILENT_DBFS:
        detail = f"the microphone is silent ({found.noise_dbfs:.0f} dBFS)"
        fix = "unmute the microphone, allow it in the system's settings, or choose another"
        return [Check("echo", "warn", detail, fix, figures)]
    status: Status = "warn" if found.trouble or found.ran_dry else "ok"
    echo = Check("echo", status, _said(found), _mended(found), figures)
    if found.ran_dry and not (found.heard and advise(found).mode == "full duplex"):
        return [echo]  # nothing is to be written for what a busy machine did
    return [echo, _advice(settings, found)]


def _said(found: Acoustics) -> str:
    noise = f"noise {found.noise_dbfs:.0f} dBFS"
    if not found.heard or found.return_loss_db is None:
        return f"played, but not heard: {noise}"
    after = "" if found.after_db is None else f", {found.after_db:.0f} dB once cancelled"
    return (
        f"comes back {found.return_loss_db:.0f} dB weaker than played{after}; "
        f"{found.delay_ms:.0f} ms after it sounds, {found.round_trip_ms:.0f} ms from program to "
        f"program; {noise}"
    )


def _mended(found: Acoustics) -> str:
    if found.ran_dry:
        return f"the speaker ran dry {found.ran_dry} times: close other programs, measure again"
    return found.trouble


def _advice(settings: Settings, found: Acoustics) -> Check:
    """What to write, unless it is written already."""
    advice = advise(found)
    wanted = advice.settings
    write = [
        f"{key}: {str(value).lower() if isinstance(value, bool) else value}"
        for key, value in wanted.items()
        if value_at(settings, tuple(key.split("."))) != value
    ]
    detail = f"{advice.mode}: {advice.why}"
    figures = {"mode": advice.mode, "settings": dict(wanted)}
    what = f"write {', '.join(write)} in config.yaml" if write else ""
    if advice.mode == "full duplex":
        return Check("talking", "ok", "; ".join(filter(None, [detail, what])), "", figures)
    fix = "; ".join(filter(None, [what, advice.hint]))
    return Check("talking", "warn", detail, fix, figures)
