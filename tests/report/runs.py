"""A made-up run with its files, for tests of the report."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bot.scenario.checks import Check
from bot.scenario.outputs import write_outputs
from bot.scenario.result import Result
from bot.scenario.turns import read_timeline
from speech.timeline import TimelineEvent
from tests.scenario.lines import BARGE_IN, timeline
from transports.script.recording import Recording
from transports.script.track import Track

EVIL = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>\"'&"


def speech(seconds: float, rate_hz: int) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Noise with the ups and downs of speech: the hardest to draw small."""
    random = np.random.default_rng(1)
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    loudness = 4_000 * np.abs(np.sin(2 * np.pi * 1.7 * time))
    return (loudness * random.standard_normal(len(time))).clip(-32_768, 32_767).astype(np.int16)


def write_run(folder: Path, *, duration_s: float = 10.0, text: str = EVIL) -> Path:
    """Write a run with a barge-in, in which every text is ``text``."""
    user, bot = Track(16_000), Track(24_000)
    user.place(0, speech(duration_s, 16_000))
    bot.place(0, speech(duration_s, 24_000))
    events = [_with_text(event, text) for event in timeline(*BARGE_IN)]
    events.append(TimelineEvent("note", 8.8, None, None, {"what": "speech queue", "high": text}))
    events.append(TimelineEvent("tool_call", 7.2, None, None, {"tool": text}))
    checks = [Check(text, True, text, 1), Check("turns: 2", False, "3")]
    talk = read_timeline(events)
    result = Result(
        text, text, "finished", 0.0, duration_s, talk, checks, [text], [text], {"machine": text}
    )
    write_outputs(folder, result, Recording(user, bot, 0.0), events)
    return folder / "report.html"


def _with_text(event: TimelineEvent, text: str) -> TimelineEvent:
    if "text" not in event.fields:
        return event
    fields = event.fields | {"text": f"{event.fields['text']}{text} "}
    return TimelineEvent(event.name, event.at, event.reply_id, event.unit_id, fields)
