"""What is said for what is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from speech.errors import UsageError
from speech.spoken.characters import character_edits
from speech.spoken.draft import Draft, Edit, Spoken
from speech.spoken.markdown import block_edits, inline_edits, line_edits
from speech.spoken.marked import fix_marked, link_edits
from speech.spoken.rule import RuleBook, alternatives
from speech.spoken.rules import rule_book
from speech.spoken.signs import SIGNS

_SAME_LANGUAGE = {"cmn": "zh", "yue": "zh", "pt": "pt"}
_BRITISH = ("gb", "uk", "au", "nz", "ie", "in", "za")
_TIDY = re.compile(
    r"\A\s+|\s+\Z|[ \t]{2,}|[ \t]+(?=[,.;:!?…)\]](?:\s|\Z))|[ \t]+(?=\n)|(?<=[(\[])[ \t]+"
    r"|\([ \t]*\)|\[[ \t]*\]|(?<=[,;])[ \t]*,|(?<=\n)[ \t]+"
)


class Normalizer:
    """One language's rules with a user's words; shared freely, as it keeps no state."""

    def __init__(
        self, language: str, say: Mapping[str, str] | None = None, no_read: Iterable[str] = ()
    ) -> None:
        """``language`` is a tag such as "en-GB"; without rules for it only marks are removed.

        ``say``: what is said for a word, "GIF" → "jif"; an entry in lower case is found in any
        case. ``no_read``: words, or patterns between slashes, that are never spoken. Raises
        ``UsageError`` for a pattern that is none.
        """
        self._book = _book(language)
        self._say = dict(say or {})
        self._said = _any_word(self._say)
        self._unread = _never(no_read)

    def __call__(self, text: str) -> Spoken:
        """What is said for the text, whatever it holds; empty where nothing is.

        The time is linear in the text's length: 0.1 ms for a sentence.
        """
        draft = Draft(text)
        fix_marked(draft)
        draft.edit(link_edits(draft.text))
        draft.edit(character_edits(draft.text))
        draft.edit(line_edits(draft.text))
        draft.edit(block_edits(draft.text))
        draft.edit(inline_edits(draft.text))
        draft.edit(self._unread_edits(draft.text))
        draft.edit(self._said_edits(draft.text), fix=True)
        if not any(map(str.isalnum, draft.text)):
            return Draft("").spoken()
        if self._book:
            draft.edit(self._book.edits(draft))
        if draft.text != text:
            draft.edit(_tidy(draft.text))
        return draft.spoken()

    def _unread_edits(self, text: str) -> Iterator[Edit]:
        if self._unread:
            yield from ((m.start(), m.end(), "") for m in self._unread.finditer(text) if m.group())

    def _said_edits(self, text: str) -> Iterator[Edit]:
        if self._said:
            for match in self._said.finditer(text):
                found = match.group()
                words = self._say.get(found)
                yield (
                    match.start(),
                    match.end(),
                    self._say[found.lower()] if words is None else words,
                )


def spoken(
    text: str,
    language: str = "en",
    say: Mapping[str, str] | None = None,
    no_read: Iterable[str] = (),
) -> Spoken:
    """What is said for the text in a language; see ``Normalizer``."""
    return Normalizer(language, say, no_read)(text)


@lru_cache(maxsize=64)
def _book(language: str) -> RuleBook | None:
    primary, *subtags = re.split("[-_]", language.strip().lower())
    primary = _SAME_LANGUAGE.get(primary, primary)
    if primary not in SIGNS:
        return None
    british = primary == "en" and any(tag in _BRITISH for tag in subtags)
    return rule_book(primary, british=british)


def _any_word(words: Mapping[str, str]) -> re.Pattern[str] | None:
    if not words:
        return None
    any_case = [word for word in words if word == word.lower()]
    exact = [word for word in words if word != word.lower()]
    found = [f"(?i:{alternatives(any_case)})"] * bool(any_case) + [alternatives(exact)] * bool(
        exact
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(found)})(?!\w)")


def _never(unread: Iterable[str]) -> re.Pattern[str] | None:
    patterns = []
    for entry in unread:
        is_pattern = len(entry) > 2 and entry[0] == entry[-1] == "/"
        pattern = f"(?:{entry[1:-1]})" if is_pattern else rf"(?<!\w)(?i:{re.escape(entry)})(?!\w)"
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageError(f"no_read: {entry} is no pattern: {error}") from error
        patterns.append(pattern)
    return re.compile("|".join(patterns)) if patterns else None


def _tidy(text: str) -> Iterator[Edit]:
    for match in _TIDY.finditer(text):
        is_gap = match.group().strip(" \t") == "" and match.start() > 0 and match.end() < len(text)
        between = (
            is_gap
            and text[match.end()] not in ",.;:!?…)]\n"
            and text[match.start() - 1] not in "([\n"
        )
        yield match.start(), match.end(), " " if between else ""
