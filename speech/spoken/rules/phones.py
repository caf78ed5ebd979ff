"""Phone numbers and the like: digit by digit, with a pause after each group."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule

_GAP = r"[ .\-/]"
_END = r"(?:,? (?:x|ext\.?) ?[0-9]{1,6})?(?![\w%]|[.,:/-]\d)"
_PARTS = re.compile(r"[0-9]+|[A-Z]{2,}|x|ext")
_DIALLED = re.compile(
    r"(?:\b(?:call|dial|phone|tel|telephone|fax|text|ring|number|mobile|cell|line"
    r"|reach (?:us|me) at|hotline|whatsapp)(?: is| us at| me at| at| on)?"
    r"|Telefon|téléphone|teléfono|telefono|telefone)[.:]{0,2} ?$",
    re.IGNORECASE,
)


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    mark = ", " if lexicon.spaced else "、"

    def groups(match: re.Match[str]) -> str:
        said = [_group(part) for part in _PARTS.findall(match.group())]
        plus = f"{lexicon.signs.plus} " if match.group().startswith("+") else ""
        return plus + mark.join(said).replace("extension, ", "extension ")

    def _group(part: str) -> str:
        if part in ("x", "ext"):
            return "extension"
        return part if part.isalpha() else lexicon.digits(part)

    def dialled(match: re.Match[str]) -> str | None:
        digits = re.sub(r"\D", "", match.group())
        if not _DIALLED.search(before(match)) or not 3 <= len(digits) <= 15:
            return None
        return groups(match)

    yield rule("+", rf"\+[0-9]{{1,3}}(?:{_GAP}?\(?[0-9]{{1,5}}\)?){{1,6}}{_END}", groups)
    yield rule(
        "0", rf"(?:1{_GAP})?[0-9]{{3}}(?P<gap>[ .-])[0-9]{{3}}(?P=gap)[0-9]{{4}}{_END}", groups
    )
    yield rule("0(", rf"(?:1{_GAP})?\([0-9]{{2,5}}\) ?[0-9]{{3,4}}{_GAP}[0-9]{{3,4}}{_END}", groups)
    yield rule("0", rf"(?:[0-9]{{3}}|[0-9]{{5}})-[0-9]{{4}}{_END}", groups)
    yield rule("0", rf"0[0-9]{{1,4}}(?:[ /-][0-9]{{2,8}}){{1,5}}{_END}", groups)
    yield rule("0", rf"1-(?:800|888|877|866|900)(?:-[A-Z0-9]{{2,7}}){{1,3}}{_END}", groups)
    yield rule("0", rf"[0-9]{{1,7}}(?:-[0-9]{{1,7}}){{2,6}}{_END}", groups)  # ISBN and the like
    yield rule("0", rf"[0-9]{{3,6}}(?:[ -][0-9]{{2,6}}){{0,4}}{_END}", dialled)
    yield rule("0", rf"[0-9]{{4}}(?: [0-9]{{4}}){{2,4}}{_END}", groups)  # cards
    yield rule("0", rf"0[0-9]{{9,10}}{_END}", groups)
