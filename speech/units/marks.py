"""Which of the marks a text runs into end a unit: one function a mark."""

from __future__ import annotations

import re
from typing import NamedTuple

from speech.units import vocabulary
from speech.units.characters import (
    BRACKETS,
    CLOSER_RUN,
    DOTS,
    EMOJI_RUN,
    LINE_ENDS,
    MARK_RUN,
    MARKS,
    OTHER_MARKS,
    QUOTES,
    REFERENCE,
    SPEAKABLE,
    STAR_SPAN,
    TICK_RUN,
    WIDE_CLOSER_RUN,
    WIDE_LETTER,
    WIDE_MARKS,
    Undecided,
    Window,
)
from speech.units.following import Next, following, skip_blanks, word_at
from speech.units.full_stop import LOOK_BACK, full_stop_ends, is_list_marker, is_title
from speech.units.language import Language
from speech.units.speaker import is_told, is_told_in_han

SOFT_WRAP = 50
"""Characters. A shorter line ends where its writer meant it to; a longer one that goes on in
lower case was wrapped."""
LONGEST_SPAN = 300
"""Characters between the ticks of code, the stars of an action, the brackets of a link."""

_ANY_TICKS = re.compile(rf"`+|[{LINE_ENDS}]")
_ONLY_MARKER = re.compile(r"[\s\-*+•‣◦·–—>#_()\[\]]*(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_])[.)][\s*_)]*")
_QUOTING = re.compile("[とって、,，的]")
_NUMBER_BEFORE = re.compile(r"\d{1,3}\Z")
_MAYBE_REFERENCE = re.compile(REFERENCE.pattern + r"(?:\[\d{0,3})?")
_LONGEST_REFERENCE = 32
_REFERENCE_BEGINS = "[¹²³⁰⁴⁵⁶⁷⁸⁹"
_TITLE_ENDS = frozenset("》〉")
_EITHER = "\"'＂＇*_~"


class Verdict(NamedTuple):
    """Scanning goes on at ``scan``; the unit ends at each of ``cuts``, in order."""

    scan: int
    cuts: tuple[int, ...] = ()


def at_mark(window: Window, start: int, at: int, language: Language) -> Verdict:
    """A run of full stops, question or exclamation marks, and what closes behind it."""
    run = window.run(MARK_RUN, at)
    marks = window.text[at:run]
    if any(mark in WIDE_MARKS or mark in OTHER_MARKS for mark in marks):
        return _at_wide_mark(window, start, at, run)
    end = _behind_closers(window, start, run)
    character = window.at(end)
    if character and not character.isspace() and not WIDE_LETTER.match(character):
        return Verdict(end if marks != "." else run)
    if _protected(window.text, start, at, end):
        cut = False
    elif marks == ".":
        cut = full_stop_ends(window, start, at, end, language)
    elif not marks.strip(DOTS):
        cut = following(window, end).kind in (Next.UPPER, Next.SENTENCE)
    else:
        cut = _asks_or_exclaims(window, start, at, end, language)
    return Verdict(end, (end,) if cut else ())


def at_semicolon(window: Window, at: int) -> Verdict:
    """The Greek question mark as everybody types it."""
    end = window.run(CLOSER_RUN, at + 1)
    character = window.at(end)
    ends = not character or character.isspace()
    if ends and not QUOTES.isdisjoint(window.text[at + 1 : end]):
        ends = following(window, end).kind not in (Next.LOWER, Next.GOES_ON)
    return Verdict(end, (end,) if ends else ())


def at_line_end(window: Window, start: int, at: int, language: Language) -> Verdict:
    """A line ends the unit, but where prose was wrapped or only a list marker stands."""
    text = window.text[start:at]
    if not SPEAKABLE.search(text) or _ONLY_MARKER.fullmatch(text):
        return Verdict(at + 1)
    if not _may_be_wrapped(window.text, start, at, language):
        return Verdict(at + 1, (at,))
    behind = at + (2 if window.text[at] == "\r" and window.at(at + 1) == "\n" else 1)
    then = following(window, behind).kind
    wrapped = then is Next.LOWER or (then is Next.UPPER and text.rstrip()[-1] == ".")
    return Verdict(behind, () if wrapped else (at,))


def at_ticks(window: Window, at: int) -> Verdict | None:
    """A span of code is passed over; None where a block begins."""
    body = window.run(TICK_RUN, at)
    count = body - at
    if count >= 3:
        return None
    for found in _ANY_TICKS.finditer(window.text, body, body + LONGEST_SPAN):
        if found.group()[0] != "`":
            return Verdict(body)
        end = window.run(TICK_RUN, found.start())
        if end - found.start() == count:
            return Verdict(end)
    if len(window.text) < body + LONGEST_SPAN:
        window.at(len(window.text))  # waits, unless the text is complete
    return Verdict(body)


def at_star(window: Window, start: int, at: int, language: Language) -> Verdict:
    """An action between stars, ``*waves*``, is a unit of its own."""
    text = window.text
    inside = window.at(at + 1)
    if inside == "*" or (at > start and not text[at - 1].isspace()):
        return Verdict(at + 1 if inside != "*" else at + 2)
    if not inside or not SPEAKABLE.match(inside):
        return Verdict(at + 1)
    end = window.run(STAR_SPAN, at + 1, LONGEST_SPAN)
    if window.at(end) != "*" or not window.at(end + 1).isspace():
        return Verdict(at + 1)
    then = following(window, end + 1)
    if then.kind in (Next.NOTHING, Next.GOES_ON, Next.LOWER, Next.DIGIT):
        return Verdict(at + 1)
    action = text[at + 1 : end]
    if not SPEAKABLE.search(text, start, at):
        alone = action[0].islower() or (" " in action and action[-1] not in ":,")
        return Verdict(end + 1, (end + 1,)) if alone else Verdict(at + 1)
    if (
        then.kind is Next.UPPER
        and _is_action(action)
        and language.starts_sentence(word_at(window, then.word))
    ):
        return Verdict(end + 1, (at, end + 1))
    return Verdict(at + 1)


def _behind_closers(window: Window, start: int, index: int) -> int:
    """Behind closing marks and emoji, also behind the » that French sets apart."""
    end = window.run(EMOJI_RUN, window.run(CLOSER_RUN, index))
    text = window.text
    if text.rfind("«", start, index) > text.rfind("»", start, end):
        mark = skip_blanks(window, end)
        if window.at(mark) == "»":
            return window.run(CLOSER_RUN, mark)
    return _behind_references(window, end)


def _behind_references(window: Window, index: int) -> int:
    """Behind the numbers of footnotes: "It is so.[1][2]"."""
    if window.text[index : index + 1] not in _REFERENCE_BEGINS:
        return index
    limit = index + _LONGEST_REFERENCE
    maybe = _MAYBE_REFERENCE.match(window.text, index, limit)
    if maybe and maybe.end() == len(window.text) < limit and not window.complete:
        raise Undecided
    found = REFERENCE.match(window.text, index, limit)
    return found.end() if found else index


def _at_wide_mark(window: Window, start: int, at: int, run: int) -> Verdict:
    text = window.text
    end = window.run(WIDE_CLOSER_RUN, run)
    if end == run:
        number = text[run - 1] == "．" and _is_number(window, start, at, run)
        end = _behind_references(window, window.run(EMOJI_RUN, run))
        return Verdict(end, () if number else (end,))
    if text[run] in _EITHER and not _is_open(text, start, run) and window.at(end).strip():
        return Verdict(run, (run,))  # it opens the next sentence
    return Verdict(end, () if _goes_on_behind_quote(window, start, run, end) else (end,))


def _is_number(window: Window, start: int, at: int, run: int) -> bool:
    """Whether the wide full stop is that of 3．5 or of the item 1．"""
    number = _NUMBER_BEFORE.search(window.text, max(start, at - LOOK_BACK), at)
    if number is None:
        return False
    return window.at(run).isdigit() or is_list_marker(window, start, number.start(), number.group())


def _goes_on_behind_quote(window: Window, start: int, run: int, end: int) -> bool:
    """Whether the sentence does: 「はい。」と, 他（真的？）来, 《为什么？》是, “好！”他说。"""
    character, closed = window.at(end), window.text[run:end]
    if not character:
        return False
    if any(mark in BRACKETS for mark in closed):
        return _bracket_opened_inside(window.text, start, run, closed)
    if _QUOTING.match(character) or (character.isalnum() and not _TITLE_ENDS.isdisjoint(closed)):
        return True
    return bool(WIDE_LETTER.match(character)) and is_told_in_han(window, end)


def _is_open(text: str, start: int, at: int) -> bool:
    """Whether the mark at ``at``, alike when it opens and closes, closes something."""
    mark = text[at]
    group = mark * (2 if text[at : at + 2] == mark * 2 else 1)
    return text.count(group, start, at) % 2 == 1


def _asks_or_exclaims(window: Window, start: int, at: int, end: int, language: Language) -> bool:
    """``!`` and ``?`` end the sentence, but in names (Yahoo!), brackets and quoted speech."""
    text = window.text
    closed = text[at:end]
    if any(mark in BRACKETS for mark in closed) and _bracket_opened_inside(text, start, at, closed):
        return False
    quoted = any(mark in QUOTES for mark in closed) or text[start:at].lstrip()[:1] in ("—", "–")
    words = text[max(start, at - LOOK_BACK) : at].rsplit(None, 1)
    word = words[-1] if words else ""
    name = word[:1].isupper() and word.isalpha()
    name = name and (len(words) > 1 or language.ends_in_exclamation(word))
    if not quoted and not name:
        return True
    then = following(window, end)
    opens = text[start:at].lstrip()[:1] in QUOTES
    if then.kind is Next.UPPER and quoted and opens and then.word == skip_blanks(window, end):
        return not is_told(window, then.word, language)
    return then.kind not in (Next.LOWER, Next.GOES_ON)


def _bracket_opened_inside(text: str, start: int, at: int, closed: str) -> bool:
    """Whether a bracket closed here was opened behind words of the same sentence."""
    bracket = next(mark for mark in closed if mark in BRACKETS)
    opened = text.rfind(BRACKETS[bracket], start, at)
    return opened > start and bool(SPEAKABLE.search(text, start, opened))


def _protected(text: str, start: int, at: int, end: int) -> bool:
    """Whether this is in the label of a link or in a row of a table."""
    opened = text.rfind("[", max(start, at - LONGEST_SPAN), at)
    if opened >= 0 and text.rfind("]", opened, end) < 0:
        return True
    return text[_line_start(text, start, at) : at].lstrip()[:1] == "|"


def _line_start(text: str, start: int, at: int) -> int:
    return max(start, text.rfind("\n", start, at) + 1, text.rfind("\r", start, at) + 1)


def _may_be_wrapped(text: str, start: int, at: int, language: Language) -> bool:
    begin = _line_start(text, start, at)
    written = text[begin:at]
    if len(written) < SOFT_WRAP or written.lstrip()[:1] in ("|", "#", ">"):
        return False
    last = written.rstrip().rstrip("\"'”’»)]}*_")[-1:]
    if last == ".":
        return is_title(text, start, begin + len(written.rstrip()) - 1, language)
    return last not in MARKS and last not in ":;"


def _is_action(action: str) -> bool:
    first = action.split(None, 1)[0]
    return first.islower() and first.endswith("s") and first not in vocabulary.ACTION_ADVERBS
