"""Guards: coughs, knocks and listening sounds leave the reply whole; interruptions end it.

Synthetic frame sequences from stated figures. Coughs: total length of 7,044, median 0.42 s
(bohemia.team/halfsecond, Hyfe 2022), made of a burst of 30 to 50 ms and 200 to 500 ms of
expiration (esl-epfl.github.io/roar/definition); a fit is several with 200 ms of compression, in
which nothing sounds, before each. Listening sounds: 350 ms in case C08; no public distribution
found, so 200 to 700 ms. Transcripts come 0.7 s after the end of the voice: 0.2 s of silence and
0.5 s of whisper tiny.en (notes/components.md). Probabilities flicker by a fixed seed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from speech.barge_in.decision import Action
from speech.barge_in.events import Voice
from tests.barge_in.bench import FRAME_MS, Bench

STT_MS = 700
REPLY_MS = 8_000


@dataclass(frozen=True)
class Sound:
    """Runs of voice: (start, stop) in milliseconds; what the recogniser makes of it, if it does."""

    name: str
    runs: tuple[tuple[int, int], ...]
    text: str | None
    level: float = 0.9


COUGHS = [Sound(f"cough {ms} ms", ((0, ms),), None) for ms in range(120, 720, 60)]
COUGHS += [Sound(f"cough {ms} ms, transcribed empty", ((0, ms),), "") for ms in range(240, 720, 80)]
FITS = [
    Sound(
        f"fit {n} x {ms} ms", tuple((i * (ms + 220), i * (ms + 220) + ms) for i in range(n)), None
    )
    for n, ms in [(2, 180), (2, 240), (3, 160), (2, 280), (3, 120)]
]
KNOCKS = [Sound(f"knock {ms} ms", ((0, ms),), None, 0.95) for ms in (20, 40, 60, 80, 120, 160)]
LISTENING = [
    Sound(text, ((0, ms),), text)
    for text, ms in [
        ("Mm-hm.", 350), ("mhm", 300), ("Uh-huh.", 400), ("Yeah.", 280), ("Okay.", 420),
        ("I see.", 450), ("Got it.", 480), ("Sure.", 380), ("Yeah, yeah.", 600), ("Right.", 360),
        ("Oh, okay.", 650),
        ("Hmm.", 500), ("Aha.", 400), ("Um...", 450), ("Yes.", 320), ("All right.", 520),
        ("Yep.", 240), ("(laughs)", 600), ("[BLANK_AUDIO]", 300), ("Oh.", 250),
    ]
]  # fmt: skip
HARMLESS = COUGHS + FITS + KNOCKS + LISTENING

SHORT = [
    Sound(text, ((0, ms),), text)
    for text, ms in [
        ("Stop.", 380), ("Wait.", 350), ("No.", 260), ("What?", 300), ("Hold on.", 450),
        ("Sorry?", 400), ("No, no.", 520), ("Stop it.", 500), ("Why?", 320), ("How much?", 500),
        ("Excuse me.", 620), ("Yeah, but why?", 700), ("Okay, stop.", 680), ("Again, please.", 700),
        ("Five.", 340), ("Hello?", 420), ("Too fast.", 560), ("Louder.", 430),
        ("Be quiet.", 600), ("Tuesday.", 480),
    ]
]  # fmt: skip
LONG = [Sound(f"speech {ms} ms", ((0, ms),), None) for ms in range(900, 3_400, 200)]
HESITANT = [
    Sound(f"speech of {len(gaps) + 1} parts", tuple((g, g + 400) for g in (0, *gaps)), text)
    for gaps, text in [
        ((520,), "I would like"),
        ((560,), "Um, the other."),
        ((500, 1_050), None),
        ((540, 1_080), None),
        ((580, 1_160), None),
        ((550, 1_100, 1_650), None),
    ]
]
FULL = [
    Sound("and the price?", ((0, ms),), "and the price?", level)
    for ms in (720, 760, 800)
    for level in (0.75, 0.98)
]
INTERRUPTIONS = SHORT + LONG + HESITANT + FULL


def hear(sound: Sound, offset_ms: int = 2_000) -> Bench:
    """Make the sound at ``offset_ms``; the reply sounds from 500 ms on, after the one at 100."""
    rng = random.Random(sound.name)
    b = Bench()
    b.reply(0)
    if offset_ms > 500:
        b.play(500)
    end = offset_ms + sound.runs[-1][1]
    for ms in range(offset_ms, end + 400, FRAME_MS):
        voiced = any(start <= ms - offset_ms < stop for start, stop in sound.runs)
        level = max(0.71, sound.level + rng.uniform(-0.1, 0.02))
        b.take(Voice(ms / 1000, level if voiced else rng.uniform(0, 0.3)))
    if sound.text is not None:
        b.words(end + STT_MS, sound.text)
    b.wait(REPLY_MS)
    return b


def test_there_are_forty_of_each() -> None:
    assert len(HARMLESS) >= 40
    assert len(INTERRUPTIONS) >= 40


@pytest.mark.parametrize("offset_ms", [100, 2_000])
@pytest.mark.parametrize("sound", HARMLESS, ids=lambda sound: sound.name)
def test_the_reply_is_heard_to_its_end(sound: Sound, offset_ms: int) -> None:
    b = hear(sound, offset_ms)
    assert b.policy.ducked is None
    actions = [d.action for d in b.log]
    assert Action.CUT not in actions
    assert actions.count(Action.DUCK) == actions.count(Action.RESUME)
    assert sound.text is None or b.log[-1].drop_words


@pytest.mark.parametrize("offset_ms", [100, 2_000])
@pytest.mark.parametrize("sound", INTERRUPTIONS, ids=lambda sound: sound.name)
def test_the_interruption_cuts(sound: Sound, offset_ms: int) -> None:
    b = hear(sound, offset_ms)
    assert b.done[0] == "duck R1"
    assert b.at(Action.DUCK)[0] - offset_ms <= 80
    assert "cut R1" in b.done
    assert not any(b.dropped())
