"""Where in a recording the samples of a known sound lie. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]

BLOCK_S = 0.05
"""What is looked for at a time: long enough to be unlike any other place of speech."""
QUIET = 200
"""Blocks whose root mean square is below this (-44 dB of full scale) are pauses: they are
alike, and prove no place."""
ALIKE = 0.9
"""Normalised correlation from which a place is looked at; neighbouring words of a voice, and
neighbouring periods of a vowel, reach it too."""
SAME = 0.02
"""Error against signal, as amplitudes, of a block that is there: nothing but rounding."""
TOLERANCE = 2
"""The sound server turns samples into numbers and back, which may cost a unit of int16."""


@dataclass(frozen=True, slots=True)
class Run:
    """``length`` samples, from ``said`` in the reference and ``heard`` in the recording."""

    heard: int
    said: int
    length: int

    @property
    def shift(self) -> int:
        """Place in the recording less place in the reference."""
        return self.heard - self.said

    @property
    def heard_end(self) -> int:
        return self.heard + self.length

    @property
    def said_end(self) -> int:
        return self.said + self.length


def align(said: Samples, heard: Samples, rate_hz: int, longest_hold_s: float = 8.0) -> list[Run]:
    """The runs of ``heard`` that are ``said``, sample by sample, in the order of both.

    A run ends where the recording holds something else: silence (a hold, a hole, a cut), a
    fade, or another part of the reference. Samples are compared at full level, so a run is
    proof that these samples were heard in this order. Pauses belong to the run around them.
    """
    block = round(BLOCK_S * rate_hz)
    reach = round(longest_hold_s * rate_hz)
    runs: list[Run] = []
    for begin in _loud_blocks(said, block):
        piece = said[begin : begin + block].astype(np.float64)
        last = runs[-1] if runs else None
        if last is not None and begin + block <= last.said_end:
            continue
        if last is not None and _is_at(heard, begin + last.shift, piece):
            runs[-1] = Run(last.heard, last.said, begin + block - last.said)
            continue
        after = last.heard_end if last else 0
        limit = len(heard) if last is None else after + reach + block
        place = find(piece, heard[after:limit])
        if place is None or not _is_at(heard, after + place, piece):
            continue
        runs.append(_grown(Run(after + place, begin, block), said, heard, last))
    return _finished(runs, said, heard)


def find(piece: NDArray[np.float64], heard: Samples) -> int | None:
    """Where the piece lies in ``heard``; None where nothing is enough alike."""
    if len(heard) < len(piece):
        return None
    sound = heard.astype(np.float64)
    match = correlate(sound, piece)
    energy = np.concatenate([[0.0], np.cumsum(sound**2)])
    power = energy[len(piece) :] - energy[: len(match)]
    scale = np.sqrt(np.maximum(power, 1.0)) * max(float(np.linalg.norm(piece)), 1.0)
    alike = match / scale
    best = int(np.argmax(alike))
    return best if alike[best] >= ALIKE else None


def correlate(sound: NDArray[np.float64], piece: NDArray[np.float64]) -> NDArray[np.float64]:
    """``np.correlate(sound, piece, "valid")`` by Fourier transform, which is 100 times faster."""
    size = 1 << (len(sound) - 1).bit_length()
    spectrum = np.fft.rfft(sound, size) * np.conj(np.fft.rfft(piece, size))
    return np.fft.irfft(spectrum, size)[: len(sound) - len(piece) + 1]


def _loud_blocks(said: Samples, block: int) -> Iterator[int]:
    step = block // 2
    for begin in range(0, len(said) - block + 1, step):
        piece = said[begin : begin + block].astype(np.float64)
        if np.sqrt(np.mean(piece**2)) >= QUIET:
            yield begin


def _is_at(heard: Samples, place: int, piece: NDArray[np.float64]) -> bool:
    found = heard[max(0, place) : place + len(piece)].astype(np.float64)
    if place < 0 or len(found) < len(piece):
        return False
    return bool(np.linalg.norm(found - piece) <= SAME * np.linalg.norm(piece))


def _grown(run: Run, said: Samples, heard: Samples, last: Run | None) -> Run:
    """Back to where it began; never into the run before."""
    room = min(
        run.said - (last.said_end if last else 0), run.heard - (last.heard_end if last else 0)
    )
    room = max(0, room)
    back = _same_count(
        said[run.said - room : run.said][::-1], heard[run.heard - room : run.heard][::-1]
    )
    return Run(run.heard - back, run.said - back, run.length + back)


def _finished(runs: list[Run], said: Samples, heard: Samples) -> list[Run]:
    """Each run on to its last sample."""
    done = []
    for number, run in enumerate(runs):
        following = runs[number + 1] if number + 1 < len(runs) else None
        room = min(len(said) - run.said_end, len(heard) - run.heard_end)
        if following is not None:
            room = min(room, following.heard - run.heard_end)
        on = _same_count(said[run.said_end :][:room], heard[run.heard_end :][:room])
        done.append(Run(run.heard, run.said, run.length + on))
    return done


def _same_count(said: Samples, heard: Samples) -> int:
    """How many samples agree from the first on."""
    differ = np.abs(said.astype(np.int32) - heard.astype(np.int32)) > TOLERANCE
    return int(np.argmax(differ)) if differ.any() else len(differ)
