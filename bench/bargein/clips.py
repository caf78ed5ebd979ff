"""What is played into the virtual microphone: users, listeners and noises, as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.bargein.noises import MADE, RATE_HZ, as_int16
from bot.config.schema import Settings
from bot.voice import build_engine
from speech.audio.resample import resample
from speech.audio.wav import read_wav, write_wav
from speech.errors import EarshotError

USERS = ("am_michael", "bf_emma", "bm_george", "af_bella", "am_puck", "bf_isabella")
"""Voices of the users; the bot's own is another one."""

USER_PEAK = 0.35
"""Of full scale: -9 dB, a user near the microphone."""
_BEGINS = 0.02
"""Of the peak: where a clip's sound begins (-34 dB); what is before it is cut away."""
_FOLDER = Path(__file__).parent
_FILES = (
    ("noise", Path("/usr/share/sounds/alsa/Noise.wav")),
    ("beep", Path("/usr/share/asterisk/sounds/en_US_f_Allison/beep.wav")),
    ("beeps", Path("/usr/share/asterisk/sounds/en_US_f_Allison/beeperr.wav")),
)
"""Sounds that Debian packages bring (alsa-utils, asterisk-core-sounds-en-wav)."""


@dataclass(frozen=True)
class Clip:
    """A sound from its first audible sample on, at 48 kHz, and where it is on disk."""

    kind: str
    text: str
    path: Path
    samples: NDArray[np.int16]

    @property
    def length_s(self) -> float:
        return len(self.samples) / RATE_HZ


class Recordings:
    """Makes clips in a folder. ``speak`` loads a voice, which takes some seconds."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings
        self._count = 0

    async def speak(self, kind: str, lines: Iterable[tuple[str, str]]) -> list[Clip]:
        """A clip of every (voice, text)."""
        engine = build_engine(self._settings)
        try:
            await engine.start()
            missing = set(USERS) - set(engine.voices())
            if missing:
                raise EarshotError(f"voices are missing: {', '.join(sorted(missing))}")
            clips = []
            for voice, text in lines:
                session = await engine.open(voice)
                chunks = [chunk.samples async for chunk in session.speak("clip", text)]
                await session.aclose()
                sound = resample(np.concatenate(chunks), engine.sample_rate, RATE_HZ)
                clips.append(self.keep(kind, text, sound))
            return clips
        finally:
            await engine.aclose()

    def made(self, kinds: Sequence[str], count: int, seed: int) -> list[Clip]:
        """``count`` noises by arithmetic, the kinds in turn."""
        rng = np.random.default_rng(seed)
        names = [kinds[number % len(kinds)] for number in range(count)]
        return [self.keep(name, "", as_int16(MADE[name](rng))) for name in names]

    def found(self, longest_s: float = 1.5) -> list[Clip]:
        """Sounds that this machine has."""
        clips = []
        for kind, path in _FILES:
            if path.is_file():
                sound, rate_hz = read_wav(path)
                clips.append(self.keep(kind, "", resample(sound, rate_hz, RATE_HZ), longest_s))
        return clips

    def keep(
        self, kind: str, text: str, sound: NDArray[np.int16], longest_s: float | None = None
    ) -> Clip:
        """Trimmed, levelled and written."""
        trimmed = trim(sound)
        if longest_s is not None:
            trimmed = trimmed[: round(longest_s * RATE_HZ)]
        level = USER_PEAK * 32_767 / max(1, int(np.abs(trimmed.astype(np.int32)).max()))
        clip = np.rint(trimmed * level).astype(np.int16)
        path = self._folder / f"clip-{self._count}.wav"
        self._count += 1
        write_wav(path, clip, RATE_HZ)
        return Clip(kind, text, path, clip)


def trim(sound: NDArray[np.int16]) -> NDArray[np.int16]:
    """Without the silence before and behind it."""
    size = np.abs(sound.astype(np.int32))
    loud = np.flatnonzero(size >= _BEGINS * size.max())
    return sound[loud[0] : loud[-1] + 1] if loud.size else sound


def lines(name: str) -> list[str]:
    """The lines of a text file of this folder, comments left out."""
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
