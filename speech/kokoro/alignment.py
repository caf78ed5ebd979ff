"""When each written word is heard, from the durations the network predicts.

The text is phonemised as a whole and its words once more alone. The two differ a little
("of the" is "ʌvðə" together, and "&" has a sound only there), so an alignment of least cost says
which phoneme belongs to which word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from speech.kokoro.phoneme_match import NOWHERE, WILDCARD, is_sound, match
from speech.kokoro.word_times import PieceWords, WordPlace
from speech.kokoro.written import written_words

Spell = Callable[[list[str]], list[str]]
"""Phonemes of each word alone, by the rules that made the unit's. Called where ``take`` is."""

_WINDOW_FACTOR, _WINDOW_EXTRA = 1.4, 60
"""A piece is looked for in so much of what its words are alone."""
_SPELL_AT_ONCE = 8


class WordAligner:
    """Goes through the text of a unit, piece by piece."""

    def __init__(self, text: str, spell: Spell) -> None:
        self._spell = spell
        self._words = written_words(text)
        self._silent: set[int] = set()
        """Words without phonemes of their own."""
        self._spelled = 0
        self._expected = ""
        """Phonemes of words alone that no piece has used yet, and whose each is."""
        self._owners: list[int] = []
        self._next = 0
        """The first word that has not begun."""

    def take(self, phonemes: str, *, is_last: bool = True) -> PieceWords:
        """The words that begin in the next piece of the unit, at most 510 phonemes.

        ``phonemes`` are exactly those the model is given. Takes a few milliseconds.
        """
        width = round(len(phonemes) * _WINDOW_FACTOR) + _WINDOW_EXTRA
        self._fill(width)
        to_end = is_last and self._spelled == len(self._words) and len(self._expected) <= width
        places = match(phonemes, self._expected[:width], to_end=to_end)
        owners = _adopted(phonemes, [self._owner(place) for place in places])
        reached = max(self._owners if to_end else owners, default=NOWHERE)
        begun = range(self._next, max(self._next, reached + 1))
        self._next = begun.stop
        self._use(1 + max(places, default=NOWHERE))
        return PieceWords(phonemes, self._places(begun, _spans(phonemes, owners)))

    def _owner(self, place: int) -> int:
        return NOWHERE if place == NOWHERE else self._owners[place]

    def _places(self, begun: range, spans: Mapping[int, tuple[int, int]]) -> tuple[WordPlace, ...]:
        return tuple(
            WordPlace(self._words[index].text, *spans.get(index, (NOWHERE, NOWHERE)))
            for index in begun
            if index in spans or index not in self._silent
        )

    def _fill(self, length: int) -> None:
        while len(self._expected) < length and self._spelled < len(self._words):
            batch = self._words[self._spelled : self._spelled + _SPELL_AT_ONCE]
            for word in self._spell([word.spelled for word in batch]):
                self._append(self._spelled, word or WILDCARD)
                self._spelled += 1

    def _append(self, index: int, phonemes: str) -> None:
        if phonemes == WILDCARD:
            self._silent.add(index)
        self._expected += phonemes + " "
        self._owners += [index] * len(phonemes) + [NOWHERE]

    def _use(self, count: int) -> None:
        self._expected = self._expected[count:]
        del self._owners[:count]


def _adopted(phonemes: str, owners: list[int]) -> list[int]:
    """The owners, with one for each sound that has none if there is any.

    That of the sound before or after it in the same run without a space; else of the one
    before, else of the one after.
    """
    adopted = list(owners)
    for place in range(1, len(adopted)):
        if adopted[place] == NOWHERE and phonemes[place] != " ":
            adopted[place] = adopted[place - 1]
    for place in range(len(adopted) - 2, -1, -1):
        if adopted[place] == NOWHERE and phonemes[place] != " ":
            adopted[place] = adopted[place + 1]
    return adopted


def _spans(phonemes: str, owners: list[int]) -> dict[int, tuple[int, int]]:
    """First and last sound of each word."""
    spans: dict[int, tuple[int, int]] = {}
    for place, owner in enumerate(owners):
        if owner != NOWHERE and is_sound(phonemes[place]):
            spans[owner] = (spans.get(owner, (place, place))[0], place)
    return spans
