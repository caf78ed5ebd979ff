"""Texts of the wanted lengths, counted in phonemes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from speech.errors import EarshotError

LENGTHS = (15, 45, 120, 350)
QUICK_LENGTHS = LENGTHS[:2]
TOLERANCE = 0.15
_FOLDER = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its phonemes as espeak-ng counts them, and the length it stands for."""

    words: str
    phonemes: int
    length: int


def read_lines(name: str) -> list[str]:
    """The texts in ``bench/NAME``: one a line, ``#`` lines left out."""
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def choose(
    texts: Sequence[str], count: Callable[[str], int], per_length: int,
    lengths: Sequence[int] = LENGTHS,
) -> list[Text]:  # fmt: skip
    """For each length the ``per_length`` texts that come nearest, shorter lengths first.

    Raises ``EarshotError`` where fewer are within ``TOLERANCE`` of it.
    """
    counted = [(text, count(text)) for text in texts]
    return [text for length in lengths for text in _nearest(counted, length, per_length)]


def _nearest(counted: list[tuple[str, int]], length: int, wanted: int) -> list[Text]:
    near = sorted(counted, key=lambda pair: abs(pair[1] - length))[:wanted]
    fit = [pair for pair in near if abs(pair[1] - length) <= TOLERANCE * length]
    if len(fit) < wanted:
        raise EarshotError(
            f"texts.txt has {len(fit)} texts of about {length} phonemes; {wanted} are needed"
        )
    return [Text(words, phonemes, length) for words, phonemes in fit]


def phoneme_counter() -> Callable[[str], int]:
    """Counts phonemes as kokoro-onnx does.

    Its espeak is the process's only one, so count before engines work in other threads.
    """
    from kokoro_onnx.tokenizer import Tokenizer

    tokenizer = Tokenizer()
    return lambda text: len(tokenizer.tokenize(tokenizer.phonemize(text), limit=None))
