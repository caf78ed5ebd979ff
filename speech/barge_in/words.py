"""What kind of words the user said."""

from __future__ import annotations

import re
from enum import Enum

from speech.barge_in.echo import FEW, EchoGuard
from speech.barge_in.tokens import tokens, unspaced
from speech.barge_in.vocabulary import BACKCHANNELS, COMMANDS, HUMS

Tokens = tuple[str, ...]


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
        code = (language or "en").replace("_", "-").split("-")[0].casefold()
        self._code = code
        self.guard = guard if guard is not None else EchoGuard(code)
        self._listening = self._phrases((*_of(BACKCHANNELS, code), *extra))
        self._commands = self._phrases(_of(COMMANDS, code))
        self._hum = re.compile(HUMS)

    def count(self, text: str) -> int:
        """How many words; of scripts without blanks, how many pairs of characters."""
        words = tokens(text, self._code)
        single = sum(unspaced(word) for word in words)
        return len(words) - single + (single + 1) // 2

    def sort(
        self, text: str, *, now: float, began: float | None = None, asked: bool = False
    ) -> Sort:
        """``asked``: the bot's last words were a question, so that "yeah" is an answer.

        ``now`` and ``began`` (the onset of the voice; None: not known) are for the echo guard.
        """
        words = tuple(tokens(text, self._code))
        if not words:
            return Sort.NOTHING
        commands = self._opens(words, self._commands)
        if commands and len(words) < FEW:  # "No!" is the user's, though the bot may have said it
            return Sort.COMMAND
        own, opens = self._commands, self._listening
        if self.guard.is_echo(text, now=now, began=began, own=own, opens=opens):
            return Sort.ECHO
        if commands:
            return Sort.COMMAND
        return Sort.BACKCHANNEL if not asked and self._listens(words) else Sort.REAL

    def _listens(self, words: Tokens) -> bool:
        """Whether phrases of listening, one after the other, are all there is."""
        reached = {0}
        for at in range(len(words)):
            if at in reached:
                reached.update(self._ends(words, at))
        return len(words) in reached

    def _ends(self, words: Tokens, at: int) -> list[int]:
        ends = [at + len(p) for p in self._listening if words[at : at + len(p)] == p]
        return ends + [
            at + n
            for n in (1, 2)
            if at + n <= len(words) and self._hum.fullmatch(" ".join(words[at : at + n]))
        ]

    @staticmethod
    def _opens(words: Tokens, phrases: frozenset[Tokens]) -> bool:
        return any(words[: len(phrase)] == phrase for phrase in phrases)

    def _phrases(self, texts: tuple[str, ...]) -> frozenset[Tokens]:
        return frozenset(tuple(tokens(text, self._code)) for text in texts) - {()}


def _of(table: dict[str, str], code: str) -> tuple[str, ...]:
    return tuple(table.get(code, table["en"]).split(", "))
