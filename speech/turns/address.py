"""E-mail addresses as they are said and as recognisers write them."""

from __future__ import annotations

from speech.turns import vocabulary
from speech.turns.dictation import Run
from speech.turns.words import AT, DOT, Words, find, phrases

_NAME_WORDS = 6
"""Words after "my e-mail is" that can still be the name in an address; spelling not counted."""

_COPULAS = phrases(["is", "ist", "lautet", "est", "es", "è", "é", "は", "是", "है"])

_TOP_LEVEL = phrases(vocabulary.DOMAIN_ENDS.split(", "))

_PLAIN_AT = ("at",)
"""The one word for @ that is another word as well."""


class AddressReader:
    """Says in one language (a code without region) whether an address is complete."""

    def __init__(self, language: str) -> None:
        cues = phrases(vocabulary.of(vocabulary.ADDRESS_CUES, language))
        self._cues = cues
        self._announcements = {(*cue, *be) for cue in cues for be in _COPULAS} | {
            (*cue, *link) for cue in cues for link in phrases(["address is", "adresse ist"])
        }
        self._at = phrases(vocabulary.of(vocabulary.AT, language)) | {(AT,)}
        self._dot = phrases(vocabulary.of(vocabulary.DOT, language)) | {(DOT,)}

    def is_open(self, spoken: Words, question: Words, run: Run) -> bool | None:
        """Whether the address that the words end with is not complete; None: there is none.

        ``question``: what the bot asked. ``run``: what is spelled at the end.
        """
        announced = _after_last(spoken, self._announcements)
        expected = announced is not None or bool(find(question, self._cues))
        beginning = spoken if announced is None else announced
        domain = _after_last(beginning, self._at)
        if domain is not None and (expected or self._is_sign(beginning, domain)):
            return not self._is_complete(domain)
        if not expected:
            return None
        named = announced is not None and len(announced) - len(run.items) <= _NAME_WORDS
        return True if named or run.items else None

    def _is_sign(self, spoken: Words, domain: Words) -> bool:
        """Whether what stands before the domain is @, and not the "at" of "at home"."""
        before = spoken[: len(spoken) - len(domain)]
        return before[-1:] != _PLAIN_AT or bool(find(domain, self._dot))

    def _is_complete(self, domain: Words) -> bool:
        end = _after_last(domain, self._dot)
        if end is None:
            return False
        letters = "".join(end)
        return end in _TOP_LEVEL or (len(letters) == 2 and letters.isalpha())


def _after_last(spoken: Words, sought: frozenset[Words] | set[Words]) -> Words | None:
    """The words behind the last of these phrases."""
    ends = [end for _, end in find(spoken, sought)]
    return spoken[max(ends) :] if ends else None
