"""Guards: a detector that falls silent altogether has not heard a voice ever since."""

from __future__ import annotations

import asyncio

import pytest

from processors.barge_in import HOLE_S, BargeInControl
from speech.barge_in.config import BargeInConfig
from speech.barge_in.events import Playing, Reply
from speech.barge_in.policy import BargeIn
from speech.timeline import Timeline

pytestmark = pytest.mark.looptime

FRAME_S = 0.02


class FakeSpeaker:
    """Notes what it is told, and when."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float]] = []

    def _note(self, what: str) -> None:
        self.told.append((what, round(asyncio.get_running_loop().time(), 3)))

    def duck(self, reply_id: str) -> None:
        self._note("duck")

    def resume(self) -> None:
        self._note("resume")

    def cut(self, reply_id: str) -> None:
        self._note("cut")


def playing() -> tuple[BargeInControl, FakeSpeaker]:
    loop, speaker = asyncio.get_running_loop(), FakeSpeaker()
    policy = BargeIn(BargeInConfig(protect_s=0))
    control = BargeInControl(policy, Timeline(loop.time), speaker)
    control.take(Reply(control.now(), "R1"))
    control.take(Playing(control.now(), "R1", "Our shop opens at nine every day."))
    return control, speaker


async def voice(control: BargeInControl, seconds: float) -> None:
    for _ in range(round(seconds / FRAME_S)):
        control.heard_voice(0.9)
        await asyncio.sleep(FRAME_S)


async def test_a_cough_on_a_line_that_sends_no_silence_does_not_cut() -> None:
    control, speaker = playing()
    await voice(control, 0.24)
    await asyncio.sleep(5)
    assert [what for what, _ in speaker.told] == ["duck", "resume"]
    assert speaker.told[-1][1] < 0.24 + HOLE_S + 0.25
    control.close()


async def test_a_voice_that_goes_on_behind_a_small_hole_cuts() -> None:
    control, speaker = playing()
    await voice(control, 0.4)
    await asyncio.sleep(HOLE_S - 0.1)
    await voice(control, 0.6)
    assert [what for what, _ in speaker.told] == ["duck", "cut"]
    control.close()


async def test_nothing_is_taken_once_it_is_closed() -> None:
    control, speaker = playing()
    await voice(control, 0.1)
    control.close()
    await voice(control, 3)
    assert [what for what, _ in speaker.told] == ["duck"]
