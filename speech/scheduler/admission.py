"""Whether one more may be promised sound without breaking the promise to anybody."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

HORIZON_S = 20.0
"""What comes later than this is not looked at: by then it will have been asked again."""
MARGIN = 1.15
"""Work is thought to take so much longer than it did."""
SPARE_S = 0.1
"""Nobody may come closer to silence than this in what is foreseen."""


@dataclass(frozen=True, slots=True)
class Work:
    """A job that takes ``cost_s`` and then gives ``sound_s`` of sound."""

    cost_s: float
    sound_s: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """One listener: ``due`` is when it needs its next sound, ``work`` what is still to be done."""

    due: float
    work: Iterable[Work]


@dataclass(eq=False)
class _Voice:
    due: float
    rest: Iterator[Work]
    next: Work


def lateness_s(now: float, busy_s: float, outlooks: Iterable[Outlook], threads: int = 1) -> float:
    """By how much the sound that is latest will come too late; below 0 if all comes in time.

    All the work is played through in the policy's order, from when the device is free again.
    """
    voices = [voice for outlook in outlooks for voice in _begun(outlook)]
    time, late = now + busy_s, -math.inf
    while voices and time < now + HORIZON_S:
        voice = min(voices, key=lambda voice: voice.due)
        time += MARGIN * voice.next.cost_s / threads
        if voice.next.sound_s:
            late = max(late, time - voice.due)
            voice.due = max(voice.due, time) + voice.next.sound_s
        following = next(voice.rest, None)
        if following is None:
            voices.remove(voice)
        else:
            voice.next = following
    return max([late, *(time - voice.due for voice in voices)])


def wait_s(
    now: float, busy_s: float, asking: Outlook, others: Sequence[Outlook], threads: int = 1
) -> float:
    """0 if ``asking``, its new work included, is taken on beside the ``others`` who listen now;
    else when it may ask again.

    Nobody may come too close to silence. But who is alone is never refused: no promise to anybody
    is in danger, and on a machine that is too slow for one, speech that comes late is better
    than none.
    """
    if not others:
        return 0.0
    return max(0.0, lateness_s(now, busy_s, [*others, asking], threads) + SPARE_S)


def _begun(outlook: Outlook) -> Iterator[_Voice]:
    work = iter(outlook.work)
    for first in work:
        yield _Voice(outlook.due, work, first)
        return
