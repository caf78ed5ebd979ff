"""Guards: a scenario waits for a bot that has not made all of its speech."""

from __future__ import annotations

import asyncio

import pytest

from bot.scenario.watch import Watch
from speech.timeline import Timeline

ASKED = ["user_stopped", "llm_request", "llm_first_token", "unit_released"]
SOUNDS = ["tts_request", "first_chunk", "bot_started"]


@pytest.mark.parametrize(
    ("events", "works"),
    [
        ([], False),
        (ASKED[:2], True),
        (ASKED, True),
        ([*ASKED, *SOUNDS, "bot_stopped"], True),  # the voice ran dry in mid-unit
        ([*ASKED, *SOUNDS, "unit_done", "bot_stopped"], False),
        ([*ASKED, *SOUNDS, "unit_done", "unit_released", "bot_stopped"], True),
        ([*ASKED, *SOUNDS, "interrupt", "bot_stopped"], False),  # cut: the rest is not to come
    ],
)
async def test_works(events: list[str], works: bool) -> None:
    now = iter(range(1000))
    timeline = Timeline(clock=lambda: float(next(now)))
    watch = Watch(timeline)
    for name in events:
        timeline.mark(name)
    await asyncio.sleep(0)
    assert watch.bot_works is works
    watch.close()
