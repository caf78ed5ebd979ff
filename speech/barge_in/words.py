"""What kind of words the user said."""

from __future__ import annotations

import re
from enum import Enum

from speech.barge_in.echo import FEW, EchoGuard
from speech.barge_in.tokens import language_code, tokens, unspaced, without_asides
from speech.barge_in.vocabulary import BACKCHANNELS, COMMANDS, HUMS, LEADS

Tokens = tuple[str, ...]

_STRETCHED = re.compile(r"([^\W\d_])\1{2,}")


class Sort(Enum):
    """Of a transcript, as far as the floor is concerned."""

    NOTHING = "nothing"
    """No words: empty, or only the name of a sound ("[cough]")."""
    ECHO = "echo"
    BACKCHANNEL = "backchannel"
    UNSURE = "unsure"
    """A few words that the recogniser itself is not sure of: it makes words of a hum as well."""
    COMMAND = "command"
    """Wants the floor with the first word: "stop", "wait", "no"."""
    REAL = "real"


class WordSorter:
    """Sorts transcripts in one language (a BCP 47 tag; English where it is not known).

    ``extra`` are further phrases that are mere listening. The echo guard is told by the caller
    what the bot says.
    """

    def __init__(
        self, language: str = "en", guard: EchoGuard | None = None, extra: tuple[str, ...] = ()
    ) -> None:
        self._code = code = language_code(language)
        self.guard = guard if guard is not None else EchoGuard(language)
        self._listening = self._phrases((*_of(BACKCHANNELS, code), *extra))
        self._leads = self._phrases(_of(LEADS, code))
        self._commands = self._phrases(_of(COMMANDS, code))
        self._known = {word for phrase in self._listening | self._commands for word in phrase}
        self._hum = re.compile(HUMS)

    def count(self, text: str) -> int:
        """How many words; of scripts without blanks, how many pairs of characters."""
        words = self._words(text)
        single = sum(unspaced(word) for word in words)
        return len(words) - single + (single + 1) // 2

    def sort(
        self, text: str, *, now: float, began: float | None = None, asked: bool = False
    ) -> Sort:
        """``asked``: the bot's last words were a question, so that "yeah" is an answer.

        ``now`` and ``began`` (the onset of the voice; None: not known) are for the echo guard.
        """
        words = self._words(text)
        if not words:
            return Sort.NOTHING
        listens = not asked and self._listens(words)
        commands = self._opening(words, self._commands)
        if listens and self._opening(words, self._listening) > commands:
            commands = 0  # "no doubt"
        if commands and len(words) < FEW:  # "No!" is the user's, though the bot may have said it
            return Sort.COMMAND
        own, opens = self._commands, self._listening
        if self.guard.is_echo(text, now=now, began=began, own=own, opens=opens):
            return Sort.ECHO
        if commands:
            return Sort.COMMAND
        return Sort.BACKCHANNEL if listens else Sort.REAL

    def _words(self, transcript: str) -> Tokens:
        words = tokens(without_asides(transcript), self._code)
        return tuple(map(self._unstretched, words))

    def _unstretched(self, word: str) -> str:
        """ "okay" for "okaaay" and "yes" for "yesss"."""
        if _STRETCHED.search(word):
            for times in (1, 2):
                plain = _STRETCHED.sub(lambda run, n=times: run.group(1) * n, word)  # type: ignore[misc]
                if plain in self._known:
                    return plain
        return word

    def _listens(self, words: Tokens) -> bool:
        """Whether phrases of listening, one after the other, are all there is."""
        reached, led = {0}, set[int]()
        for at in range(len(words)):
            if at in reached or at in led:
                reached.update(self._ends(words, at, self._listening), self._hums(words, at))
                led.update(self._ends(words, at, self._leads))
        return len(words) in reached

    @staticmethod
    def _ends(words: Tokens, at: int, phrases: frozenset[Tokens]) -> list[int]:
        return [at + len(p) for p in phrases if words[at : at + len(p)] == p]

    def _hums(self, words: Tokens, at: int) -> list[int]:
        ends = [end for end in (at + 1, at + 2) if end <= len(words)]
        return [end for end in ends if self._hum.fullmatch(" ".join(words[at:end]))]

    @staticmethod
    def _opening(words: Tokens, phrases: frozenset[Tokens]) -> int:
        """How many words the longest of the phrases has with which the words begin."""
        return max((len(p) for p in phrases if words[: len(p)] == p), default=0)

    def _phrases(self, texts: tuple[str, ...]) -> frozenset[Tokens]:
        return frozenset(tuple(tokens(text, self._code)) for text in texts) - {()}


def _of(table: dict[str, str], code: str) -> tuple[str, ...]:
    return tuple(table.get(code, table["en"]).split(", "))
