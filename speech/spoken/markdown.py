"""Markdown: the words stay, the marks go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.draft import Edit

_LINE_BEGIN = re.compile(
    r"(?m)^[ \t]{0,20}(?:"
    r"(?:`{3,20}|~{3,20})[^\n`]{0,80}(?:\n|\Z)"  # a fence of code with its language
    r"|(?P<rule>[-*_=+|:. \t]{3,400}$)"
    r"|(?:>[ \t]){1,9}|>{1,9}(?=[^\s0-9$€£>=-]|$)"  # but >90% is more than it
    r"|#{1,6}[ \t]{1,9}"
    r"|[-*+•·‣–][ \t]{1,9}(?:\[[ xX]\][ \t])?(?=\S)"
    r"|\|[ \t]?"
    r")"
)
_IS_RULE = re.compile(r"[-*_=]{3}|(?:[-*_][ \t]){2}|\|[ \t:]{0,9}-")
_QUOTED_BULLET = re.compile(r"(?:#{1,6}|[-*+•])[ \t]{1,9}(?=\S)")
_BREAK = re.compile(r"[ \t]{0,20}(?:\|[ \t]{0,20}|(?<=[ \t])#{1,6}[ \t]{0,20})?\n\s{0,40}")
_STRUCK = re.compile(r"[ \t]?~~(?=\S)[^~\n]{1,300}(?<=\S)~~")
_HTML = re.compile(
    r"</?(?:(?P<block>blockquote|br|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|pre|summary|table|tbody"
    r"|td|th|thead|tr|ul)|a|abbr|b|code|del|em|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u)"
    r"(?:\s[^<>\n]{0,300})?/?>|<!--[^<>]{0,2000}-->",
    re.IGNORECASE,
)
_CITATION = re.compile(r"(?<=\S)\[\^?[0-9]{1,3}\](?!\()|\[\^\w{1,20}\]:?")
_LABEL = re.compile(r"!?\[(?P<label>[^\[\]\n]{1,200})\]\[[^\[\]\n]{0,200}\]")
_AUTOLINK = re.compile(r"<(?P<target>(?:https?://|mailto:)?[^\s<>]{3,400}[.@][^\s<>]{2,200})>")
_MARKS = re.compile(
    r"\\(?=[\\`*_{}\[\]()#+\-.!>|~$])"
    r"|`{1,9}"
    r"|(?<![0-9)\w\\*])\*{1,9}(?=[^\s*0-9])"  # opens
    r"|(?<=[^\s*\\])\*{1,9}(?![0-9(\w*])"  # closes
    r"|(?<=[A-Za-z]{2})\*{1,9}(?=[A-Za-z])"
    r"|\*{2,9}(?![0-9])"
    r"|(?<![^\W_])_{1,9}(?=[^\s_])|(?<=[^\s_])_{1,9}(?![^\W_])|_{2,9}(?=\s|$)"
    r"|~~"
)
_PIPE = re.compile(r"[ \t]{0,20}\|{1,2}[ \t]{0,20}")


def block_edits(text: str) -> Iterator[Edit]:
    """What stands at the beginning and the end of lines: headings, bullets, fences, tables."""
    done = 0
    for match in _LINE_BEGIN.finditer(text):
        start, stop = match.span()
        if match["rule"] is not None and not _IS_RULE.search(match["rule"]):
            continue
        nested = _QUOTED_BULLET.match(text, stop) if ">" in match.group() else None
        stop = nested.end() if nested else stop
        if stop > start >= done:
            done = stop
            yield start, stop, ""


def line_edits(text: str) -> Iterator[Edit]:
    """Line ends: each ends a phrase, so that a list is not read in one breath."""
    if "\n" not in text and "|" not in text:
        return
    for match in _BREAK.finditer(text):
        before = text[match.start() - 1 : match.start()]
        following = text[match.end() : match.end() + 1]
        ends_open = before.isalnum() or (before and before in ")]\"'*_`%°")
        if ends_open and following and _is_block(match.group(), following):
            yield match.start(), match.end(), ".\n"


def _is_block(found: str, following: str) -> bool:
    """Whether a new block begins there, and not only a new line of a paragraph."""
    return found.count("\n") > 1 or following.isupper() or not following.isalpha()


def inline_edits(text: str) -> Iterator[Edit]:
    """Links by reference, emphasis, code marks, tags of HTML, notes, what is struck out."""
    edits = [(m.start(), m.end(), "") for m in _STRUCK.finditer(text)] if "~~" in text else []
    if "<" in text:
        edits += [(m.start(), m.end(), " " if m["block"] else "") for m in _HTML.finditer(text)]
        edits += [edit for m in _AUTOLINK.finditer(text) for edit in _around(m, "target")]
    if "[" in text:
        edits += [(m.start(), m.end(), "") for m in _CITATION.finditer(text)]
        edits += [edit for m in _LABEL.finditer(text) for edit in _around(m, "label")]
    edits += [(m.start(), m.end(), "") for m in _MARKS.finditer(text)]
    if "|" in text:
        edits += [(m.start(), m.end(), _bar(text, m)) for m in _PIPE.finditer(text)]
    return _apart(edits)


def _bar(text: str, match: re.Match[str]) -> str:
    following = text[match.end() : match.end() + 1]
    if not match.start() or following in ("", "\n", ".", ",", ";", ":", "!", "?"):
        return ""
    if match.group().strip() == match.group():
        return " "
    return ", "


def _around(match: re.Match[str], group: str) -> tuple[Edit, Edit]:
    return (match.start(), match.start(group), ""), (match.end(group), match.end(), "")


def _apart(edits: list[Edit]) -> Iterator[Edit]:
    """In order; of two that overlap the one that begins first, or is longer."""
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if edit[0] >= done:
            done = edit[1]
            yield edit
