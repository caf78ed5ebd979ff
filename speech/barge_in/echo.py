"""A transcript that is the bot's own recent words is no user turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from speech.barge_in.tokens import (
    by_digits,
    is_question,
    language_code,
    tokens,
    unspaced,
    without_asides,
)
from speech.spoken import Normalizer, Spoken

MEMORY_S = 5.0
"""After its last sound a unit may still be transcribed: room and canceller 0.5 s, end of speech
0.2 to 1 s, recognition up to 2 s on a busy machine, and as much again."""
WORD_S = 0.5
"""… and longer the more words the transcript has: without echo cancellation a whole reply is one
stretch of voice, transcribed at its end. Two words a second are slow speech with its pauses."""
REACH_S = 1.0
"""Onset of a voice after the bot's last sound that may still be its echo: 60 to 120 ms of path, up
to 0.3 s of a wireless loudspeaker, 0.5 s of room. What begins later is the user repeating it."""
ERRORS = 0.25
"""Letters of the transcript that may differ from what was said: a small recogniser has up to a
fifth of its words wrong on a leaked, band-limited voice, and some words split or joined."""
QUESTION_ERRORS = 0.05
"""… where the transcript asks and the bot did not: no recogniser hears questions in statements."""
STRANGE_EVERY = 5
"""One word in so many may be like none that was said (the same word error rate); none where the
voice began after the bot's, as an echo's tail is short and "…, please" is a user."""
ALIKE = 0.6
"""Similarity from which two words are one word, misheard: "thirsty" and "Thursday" have 0.67."""
FEW = 3
"""Below so many words repeating is how people answer ("Tea or coffee?" "Coffee."), and something
like them is in every other sentence: they are an echo only if they were said so, letter by letter.
Of 125 short things to say to 12 unrelated sentences 21 were like a passage and not in it."""
MAX_PIECES = 32
MAX_LETTERS = 2_000
"""Of bot speech that is compared: about two minutes."""
MAX_HEARD = 600
"""Letters, half a minute. A longer transcript is no echo: comparing takes up to 25 ms here."""
MAX_WORDS = 150
"""Of the bot's, each once, that misheard words are compared with."""


Phrases = frozenset[tuple[str, ...]]

Forms = tuple[list[str], ...]
"""The words of a text as they are said ("forty five dollars"), as they are written, and with its
digits one by one: bot and recogniser write numbers in different ways."""


@dataclass(slots=True)
class _Piece:
    forms: Forms
    asks: bool
    began: float
    ended: float | None = None


class EchoGuard:
    """Remembers what the bot said for ``memory_s`` after it was audible, and ``WORD_S`` more for
    each word of the transcript.

    Compares normalised letters: the transcript against any passage of what was said, by edit
    distance, so that a word split, joined or misspelt by the recogniser costs little; then asks
    whether words are left that the bot did not say. A user who quotes the bot in a longer
    sentence, or talks on over the echo, has such words.
    """

    def __init__(
        self,
        language: str = "en",
        memory_s: float = MEMORY_S,
        spoken: Callable[[str], Spoken] | None = None,
    ) -> None:
        """``spoken``: what the bot says for what it writes; None: as is usual in the language."""
        self._language = language_code(language)
        self._memory_s = memory_s
        self._heard_as = Normalizer(language or "en")
        self._said_as = spoken or self._heard_as
        self._pieces: deque[_Piece] = deque(maxlen=MAX_PIECES)

    def said(self, text: str, at: float) -> None:
        """These words begin to be audible; what was audible before is over."""
        self.silent(at)
        forms = self._forms(text, self._said_as)
        if any(forms):
            self._pieces.append(_Piece(forms, is_question(text), at))

    def silent(self, at: float) -> None:
        """The bot is not audible any more."""
        if self._pieces and self._pieces[-1].ended is None:
            self._pieces[-1].ended = at

    def is_echo(
        self,
        text: str,
        *,
        now: float,
        began: float | None = None,
        own: Phrases = frozenset(),
        opens: Phrases = frozenset(),
    ) -> bool:
        """Whether the transcript only repeats what was said. ``began``: onset of its voice.

        What the bot did not say is the user's: phrases of ``own`` anywhere, of ``opens`` at the
        beginning ("yes, a table for two").
        """
        forms = self._forms(without_asides(text[: MAX_HEARD + 1]), self._heard_as)
        heard = forms[0]
        pieces = [piece for piece in self._pieces if self._recent(piece, now, len(heard))]
        if len(text) > MAX_HEARD or not all(forms) or not pieces:
            return False
        if not self._possible(heard, pieces, began):
            return False
        asks = is_question(text) and not any(piece.asks for piece in pieces)
        ended = pieces[-1].ended
        late = began is not None and ended is not None and began > ended
        passages = [
            (form, [word for piece in pieces for word in piece.forms[at]])
            for at, form in enumerate(forms)
        ]
        distinct = [pair for at, pair in enumerate(passages) if pair not in passages[:at]]
        return any(
            _repeats(heard, said, asks, late) and not _speaks(heard, said, own, opens)
            for heard, said in distinct
        )

    def _forms(self, text: str, spoken: Callable[[str], Spoken]) -> Forms:
        ways = (spoken(text).text, text, by_digits(text))
        return tuple(tokens(way, self._language) for way in ways)

    def _recent(self, piece: _Piece, now: float, words: int) -> bool:
        memory_s = self._memory_s + WORD_S * words
        return piece.ended is None or now - piece.ended <= memory_s

    def _possible(self, heard: list[str], pieces: list[_Piece], began: float | None) -> bool:
        """Whether the voice began early enough for an echo.

        A few words, or words after a question, are one only if they began while it sounded.
        """
        few = _are_few(heard)
        asks = pieces[-1].asks
        if began is None:
            return not few
        reach = 0.0 if few or asks else REACH_S
        ended = pieces[-1].ended
        return (ended is None or began <= ended + reach) and not (few and asks)


def _repeats(heard: list[str], said: list[str], asks: bool, late: bool) -> bool:
    """Whether it is a passage of what was said. ``asks``: it is a question, and the bot asked
    none. ``late``: the voice began after the bot's."""
    if _are_few(heard):
        return _is_passage(heard, said)
    errors = _errors("".join(heard), "".join(said)[-MAX_LETTERS:])
    if errors > (QUESTION_ERRORS if asks else ERRORS):
        return False
    return not _strangers(heard, said, 0 if late else len(heard) // STRANGE_EVERY)


def _are_few(words: list[str]) -> bool:
    return sum(0.5 if unspaced(word) else 1 for word in words) < FEW


def _is_passage(heard: list[str], said: list[str]) -> bool:
    """Whether whole words that were said, one after the other, have these letters."""
    letters = "".join(heard)
    return any(
        any("".join(said[at:end]) == letters for end in range(at + 1, at + 2 * FEW + 1))
        for at in range(len(said))
        if letters.startswith(said[at])
    )


def _strangers(heard: list[str], said: list[str], at_most: int) -> bool:
    """Whether more words than ``at_most``, or two at an end, are unlike any that was said."""
    known = list(dict.fromkeys(reversed(said)))[:MAX_WORDS]
    strange: list[bool] = []
    for word in heard:
        strange.append(not _known(word, known))
        if sum(strange) > at_most:
            return True
    ends = (strange[:2], strange[-2:])
    return any(len(end) == 2 and all(end) for end in ends)


def _speaks(heard: list[str], said: list[str], own: Phrases, opens: Phrases) -> bool:
    first = {phrase for phrase in opens if tuple(heard[: len(phrase)]) == phrase}
    users = first | {phrase for phrase in own if _has(heard, phrase)}
    return any(not _has(said, phrase) for phrase in users)


def _has(words: list[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(words[at : at + size]) == phrase for at in range(len(words) - size + 1))


def _known(word: str, known: list[str]) -> bool:
    return word in known or any(_alike(word, other) for other in known)


def _alike(word: str, other: str) -> bool:
    """One word misheard, or a part of one: "day" of "Thursday"."""
    if len(word) >= FEW and (other.startswith(word) or other.endswith(word)):
        return True
    shorter, longer = sorted((len(word), len(other)))
    if 2 * shorter < ALIKE * (shorter + longer):  # the ratio cannot reach it: cheap and common
        return False
    return SequenceMatcher(None, word, other).ratio() >= ALIKE


def _errors(heard: str, said: str) -> float:
    """Edit distance of ``heard`` to the passage of ``said`` next to it, per letter of ``heard``."""
    target = np.frombuffer(said.encode("utf-32-le"), np.uint32)
    places = np.arange(len(target) + 1)
    row = np.zeros(len(target) + 1, np.int64)
    for letter in heard:
        nearest = row + 1
        nearest[1:] = np.minimum(nearest[1:], row[:-1] + (target != ord(letter)))
        row = np.minimum.accumulate(nearest - places) + places
    return float(np.min(row)) / max(1, len(heard))
