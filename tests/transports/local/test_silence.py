"""A dead microphone is reported once, a quiet room is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from transports.local.silence import SilenceWatch

RATE_HZ = 16_000
ZEROS = np.zeros(1_600, np.int16)
ROOM = np.random.default_rng(1).normal(0, 30, 1_600).astype(np.int16)


def _news(watch: SilenceWatch, blocks: list[NDArray[np.int16]]) -> list[str | None]:
    return [news for block in blocks if (news := watch.feed(block, RATE_HZ))]


@pytest.mark.parametrize(
    ("blocks", "news"),
    [
        ([ZEROS] * 9, []),
        ([ZEROS] * 10, ["silent"]),
        ([ZEROS] * 50, ["silent"]),
        ([ZEROS + 500] * 50, ["silent"]),
        ([ROOM] * 50, []),
        (([ZEROS] * 9 + [ROOM]) * 5, []),
        ([ZEROS] * 12 + [ROOM] * 3, ["silent", "heard"]),
        ([ZEROS] * 12 + [ROOM] + [ZEROS] * 12, ["silent", "heard", "silent"]),
        ([np.zeros(0, np.int16)] * 50, []),
    ],
)
def test_what_is_said(blocks: list[NDArray[np.int16]], news: list[str]) -> None:
    assert _news(SilenceWatch(after_s=1.0), blocks) == news


def test_it_can_be_switched_off() -> None:
    assert _news(SilenceWatch(after_s=0.0), [ZEROS] * 100) == []


def test_the_loudest_square_wave_does_not_overflow() -> None:
    loud = np.array([-32_768, 32_767] * 800, np.int16)
    assert _news(SilenceWatch(after_s=0.1), [loud] * 5) == []
