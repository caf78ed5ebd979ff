"""Whether a full stop ends the sentence, or an abbreviation, a number, a list marker."""

from __future__ import annotations

import re
from typing import NamedTuple

from speech.units import vocabulary
from speech.units.characters import CLOSERS, COSTLY, LINE_ENDS, OPENERS, SPEAKABLE, Window
from speech.units.following import Following, Next, following, is_small_name, word_at
from speech.units.language import Language

LOOK_BACK = 64
"""Characters before a full stop among which its word is looked for."""
SURELY_A_WORD = 6
"""Letters from which on a word that is no known abbreviation is none."""

_STRIP_LEFT = OPENERS + "¿¡-–—/+#>|•…"
_NUMBER = re.compile(r"[^\w\s]*\d[\d.,:/٫٬'’]*")
_MARKER = re.compile(r"\d{1,3}(?:\.\d{1,3})*|[ivxIVX]{1,4}|[^\W\d_]")
_INLINE_MARKER = re.compile(r"\d{1,3}")
_MARKER_PREFIX = re.compile(r"[\s\-*+•‣◦·–—>#_()\[\]|]*")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}(?:\.-?|-)){1,6}[^\W\d_]{1,4}")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_ELIDED = re.compile(r"^[^\W\d_]{1,4}['’](?=[^\W\d_]{2})")
_LABEL = re.compile(r"[A-Z]?[0-9IVXLC]{0,6}")
_NO_VOWEL = re.compile("[^aeiouyäöüáéíóúàèìòùâêîôûаеёиоуыэюяіїєαεηιουω]{1,4}", re.IGNORECASE)


class _Word(NamedTuple):
    """The word before the full stop and the one before that, without marks around them."""

    text: str
    low: str
    before: str
    start: int


def full_stop_ends(window: Window, start: int, stop: int, after: int, language: Language) -> bool:
    """Whether the sentence that began at ``start`` ends with the full stop at ``stop``.

    ``after`` is behind the closing marks glued to it. Raises ``Undecided`` while that depends
    on text still to come.
    """
    word = _word_before(window.text, start, stop)
    is_marker = is_list_marker(window, start, word.start, word.text)
    if is_marker and not _answers(window, start, word.text, after, language):
        window.item = int(word.text) if word.text.isdecimal() else window.item
        return False
    then = following(window, after)
    if then.kind in (Next.NOTHING, Next.GOES_ON):
        return False
    if then.kind is Next.SENTENCE:
        return word.low not in language.titles
    return _ends(window, start, word, then, language)


def ends_open(window: Window, start: int, stop: int, language: Language) -> bool:
    """Whether the word at this full stop is a title, number or abbreviation: it wants more."""
    word = _word_before(window.text, start, stop)
    return (
        is_list_marker(window, start, word.start, word.text)
        or len(word.text) == 1
        or bool(_NUMBER.fullmatch(word.text))
        or bool(_DOTTED.fullmatch(word.text))
        or language.numbers(word.low)
        or language.abbreviation(word.text)
    )


def is_title(text: str, start: int, stop: int, language: Language) -> bool:
    """Whether the word at this full stop is one a name must follow."""
    return _word_before(text, start, stop).low in language.titles


def is_list_marker(window: Window, start: int, at: int, word: str) -> bool:
    """Whether ``word``, which begins at ``at``, numbers an item."""
    text = window.text
    low = max(start, at - LOOK_BACK)
    line = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
    prefix = text[max(start, line) : at]
    if len(prefix) > LOOK_BACK:
        return False
    if not _MARKER_PREFIX.fullmatch(prefix):
        return prefix.rstrip()[-1:] == ":" and _counts_on(window, word)
    if window.base + start == 0 and word.isalpha() and COSTLY.match(word):
        return False  # a word of one syllable
    if window.base + start == 0 or any(end in text[start:at] for end in LINE_ENDS):
        return bool(_MARKER.fullmatch(word)) and not _ADDRESS.fullmatch(word)
    return _counts_on(window, word)


def _counts_on(window: Window, word: str) -> bool:
    """Whether the number continues a list, or begins one."""
    return bool(_INLINE_MARKER.fullmatch(word)) and int(word) in (1, window.item + 1)


def _answers(window: Window, start: int, word: str, after: int, language: Language) -> bool:
    """Whether a reply begins with a decimal number that is a sentence: "3.5. That's it."""
    if window.base + start or "." not in word:
        return False
    then = following(window, after)
    return then.kind is Next.UPPER and language.starts_sentence(word_at(window, then.word))


def _word_before(text: str, start: int, stop: int) -> _Word:
    back = text[max(start, stop - LOOK_BACK) : stop]
    words = [] if back[-1:].isspace() else back.rsplit(None, 2)
    raw = words[-1] if words else ""
    word = raw.lstrip(_STRIP_LEFT)
    at = stop - len(word)
    word = _ELIDED.sub("", word.rstrip(CLOSERS))
    before = words[-2] if len(words) > 1 else ""
    return _Word(word, word.lower(), before.lstrip(_STRIP_LEFT), at)


def _ends(window: Window, start: int, word: _Word, then: Following, language: Language) -> bool:
    if not word.text or not SPEAKABLE.search(word.text):
        return then.kind is not Next.LOWER
    if _NUMBER.fullmatch(word.text):
        return _number_ends(window, start, word, then, language)
    joined = f"{word.before.rstrip('.').lower()}.{word.low}"
    for low in (word.low, joined if word.before.endswith(".") else word.low):
        if low in vocabulary.CLOCK.split():
            return _clock_ends(window, then)
        if low in language.never_last:
            return False
        if low in language.often_last and then.kind in (Next.UPPER, Next.SIGN):
            fort = low in language.places and word.text[0].isupper()
            return not fort or word.before[-1:].isdigit()
    if language.numbers(word.low) and _is_numbered(window, then):
        return False
    if len(word.text) == 1 and not COSTLY.match(word.text):
        return _letter_ends(window, word, then, language)
    if word.low in language.titles:
        return False
    if _is_dotted(word.text, language):
        return _name_cannot_follow(window, then, language)
    if language.abbreviation(word.text) and not COSTLY.match(word.text):
        return _abbreviation_ends(window, word, then, language)
    return _plain_word_ends(window, start, word, then)


def _clock_ends(window: Window, then: Following) -> bool:
    if then.kind is Next.UPPER:
        return word_at(window, then.word).lower() not in vocabulary.NOT_AFTER_CLOCK.split()
    return then.kind is Next.SIGN


def _number_ends(
    window: Window, start: int, word: _Word, then: Following, language: Language
) -> bool:
    short = word.text.isdigit() and len(word.text) <= 2
    if then.kind is Next.LOWER:
        small = not language.ordinals and _in_lower_case(window.text, start)
        return small or is_small_name(window, then.word)
    if then.kind is Next.DIGIT:
        return not short and language.code not in vocabulary.DATES_APART
    if then.kind is Next.LETTER and short and language.code in vocabulary.DATES_APART:
        return not _NUMBER.fullmatch(word.before)
    if then.kind is Next.UPPER and language.ordinals and short:
        name = word_at(window, then.word)
        if name.lower() in language.ordinal_nouns:
            return False
        before = word.before.lower().strip(".,")
        return language.starts_sentence(name) or before not in language.ordinal_context
    return True


def _letter_ends(window: Window, word: _Word, then: Following, language: Language) -> bool:
    after_number = word.before[-1:].isdigit()
    if then.kind is Next.SIGN:
        return True
    if then.kind is not Next.UPPER:
        return False
    if word.low in language.titles and (word.text.isupper() or language.code != "fr"):
        return after_number
    name = word_at(window, then.word)
    if len(name) == 1 and window.at(then.word + 1) == ".":
        return False  # the next initial
    if language.starts_sentence(name):
        return True
    if word.text.islower():
        return after_number or not language.nouns_have_capitals
    before = word.before.rstrip(",")
    if word.text == "I" and language.code == "en":
        return before[:1].islower()
    if before.lower() in vocabulary.LABELLED:
        return True
    return before[:1].islower() and before.lower() not in vocabulary.LABELS_FOLLOW


def _is_numbered(window: Window, then: Following) -> bool:
    if then.kind is Next.DIGIT:
        return True
    if then.kind is not Next.UPPER:
        return False
    name = word_at(window, then.word)
    return name not in ("I", "A") and bool(_LABEL.fullmatch(name))


def _name_cannot_follow(window: Window, then: Following, language: Language) -> bool:
    return then.kind is Next.UPPER and language.starts_sentence(word_at(window, then.word))


def _abbreviation_ends(window: Window, word: _Word, then: Following, language: Language) -> bool:
    if then.kind is not Next.UPPER:
        return False
    if word.low in vocabulary.BEHIND_NAMES.split() and word.before[:1].isupper():
        return True
    if word.text[0].islower() and not language.nouns_have_capitals:
        return word.low not in language.places
    return _name_cannot_follow(window, then, language)


def _is_dotted(word: str, language: Language) -> bool:
    """Whether it is letters with full stops between, as U.S and z.B, and no x.com."""
    if not _DOTTED.fullmatch(word) or min(map(len, filter(None, re.split(r"[.\-]", word)))) > 1:
        return False
    last = word.rpartition(".")[2]
    return len(last) == 1 or not word.islower() or language.abbreviation(word)


def _plain_word_ends(window: Window, start: int, word: _Word, then: Following) -> bool:
    if then.kind is Next.LOWER:
        sure = len(word.text) >= SURELY_A_WORD or _in_lower_case(window.text, start)
        return (sure and word.text.isalpha()) or is_small_name(window, then.word)
    if then.kind is Next.DIGIT:
        unit = word.before[-1:].isdigit()
        is_cased = word.text.isalpha() and word.text.lower() != word.text.upper()
        short = is_cased and bool(_NO_VOWEL.fullmatch(word.text))
        return unit or word.text.isupper() or not short
    return True


def _in_lower_case(text: str, start: int) -> bool:
    """Whether the writer begins sentences with small letters."""
    first = SPEAKABLE.search(text, start, start + LOOK_BACK)
    if not first or not first.group().islower():
        return False
    word = text[first.start() : first.start() + LOOK_BACK].split(None, 1)[0]
    return word[1:].islower() or len(word) == 1
