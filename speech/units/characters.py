"""Classes of characters, and how an unfinished text is looked at."""

from __future__ import annotations

import re
import unicodedata

LATIN_MARKS = "!?‼⁇⁈⁉‽"
WIDE_MARKS = "。！？｡．﹒﹖﹗"
"""They end a sentence with no blank behind them."""
OTHER_MARKS = "؟۔।॥\u037e։።፧፨၊။។៕᙮᠃᠉᭟꓿𖫵"
"""Of scripts in which the mark has one meaning only."""
DOTS = ".…‥"
MARKS = LATIN_MARKS + WIDE_MARKS + OTHER_MARKS + DOTS
LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

CLOSERS = "\"'”’»)]}」』】〉》）］｝〕〗＂＇›*_~“‘«"
"""Glued to a mark they close: German closes with “, Danish with «."""
WIDE_CLOSERS = "」』】〉》）］｝〕〗”’＂＇\"')]}*_~»"
OPENERS = "\"'“”„‟«»‘’‚‹›([{（［｛「『【〈《〔〖*_~"
BRACKETS = {")": "(", "]": "[", "}": "{", "）": "（", "］": "［", "｝": "｛"}
QUOTES = frozenset("\"'”’»«“‘」』›＂＇")

BLANK_RUN = re.compile(rf"[^\S{LINE_ENDS}]*")
MARK_RUN = re.compile(f"[{re.escape(MARKS)}]*")
CLOSER_RUN = re.compile(f"[{re.escape(CLOSERS)}]*")
WIDE_CLOSER_RUN = re.compile(f"[{re.escape(WIDE_CLOSERS)}]*")
OPENER_RUN = re.compile(f"[{re.escape(OPENERS)}]*")
EMOJI_RUN = re.compile(
    "[\u2190-\u245f\u2500-\u2775\u2794-\u2bff\u3030\u303d\ufe0f\u200d\U0001f000-\U0001faff\U000e0020-\U000e007f]*"
)
WORD_RUN = re.compile(r"[\w'’\-]*")
REFERENCE = re.compile(r"(?:\[\d{1,3}\]|[⁰¹²³⁴-⁹]){0,6}")
"""Of a footnote, behind the sentence."""
TICK_RUN = re.compile("`*")
TILDE_RUN = re.compile("~*")
STAR_SPAN = re.compile(rf"[^*{LINE_ENDS}]*")

SPEAKABLE = re.compile(r"[^\W_]")
"""A letter or a digit: without one there is nothing to say."""
WIDE_LETTER = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Han and kana, which stand without blanks."""
COSTLY = re.compile(
    "[0-9\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
COSTLY_EXTRA = 3
"""A digit or an ideograph is read as about four letters."""

LONGEST_BLANK, LONGEST_RUN, LONGEST_WORD = 64, 64, 40
"""How far the text behind a mark is looked at, in characters."""


class Undecided(Exception):
    """The answer depends on text that is still to come."""


class Window:
    """A text of which more may come; reading past what is there raises ``Undecided``.

    What is decided without that holds however the text goes on, so the same text gives the
    same decisions in whatever pieces it comes.
    """

    __slots__ = ("base", "complete", "item", "text")

    def __init__(self) -> None:
        self.text = ""
        self.base = 0  # characters dropped in front of ``text``
        self.complete = False
        self.item = 0  # the last number of a list

    def at(self, index: int) -> str:
        """The character there; empty behind the end of the whole text."""
        if index < len(self.text):
            return self.text[index]
        if self.complete:
            return ""
        raise Undecided

    def run(self, pattern: re.Pattern[str], index: int, most: int = LONGEST_RUN) -> int:
        """Where a run of one class of characters ends, at most ``most`` further on."""
        match = pattern.match(self.text, index, index + most)
        end = match.end() if match else index
        if end == len(self.text) and end < index + most and not self.complete:
            raise Undecided
        return end


def cost(text: str) -> int:
    """About how many letters are read for it."""
    return len(text) + COSTLY_EXTRA * len(COSTLY.findall(text))


def clings(text: str, index: int) -> bool:
    """Whether a cut there would part a character from what modifies it."""
    if not 0 < index < len(text):
        return False
    character = text[index]
    return (
        character in "\u200d\ufe0e\ufe0f"
        or text[index - 1] == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or unicodedata.category(character).startswith("M")
    )
