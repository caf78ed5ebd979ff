"""From the words an engine reports to the pieces of text they stand for."""

from __future__ import annotations


class WordSpans:
    """Cuts a unit's text into consecutive pieces, one for each word spoken.

    The pieces joined are the text, whatever the words: white space and marks after a
    word go with it, and a word the text does not hold takes nothing.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._cursor = 0

    def take(self, word: str) -> str:
        """The text up to and with ``word``, the marks that cling to it and white space."""
        start = self._text.find(word, self._cursor)
        if not word or start < 0:
            return ""
        end = start + len(word)
        while end < len(self._text) and not self._text[end].isspace():
            if self._text[end].isalnum():
                break
            end += 1
        while end < len(self._text) and self._text[end].isspace():
            end += 1
        piece, self._cursor = self._text[self._cursor : end], end
        return piece

    def rest(self) -> str:
        """What no word has taken; empty afterwards."""
        piece, self._cursor = self._text[self._cursor :], len(self._text)
        return piece
