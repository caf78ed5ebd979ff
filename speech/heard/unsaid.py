"""What of a text was not heard. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class _Unit:
    text: str
    heard: str = ""


@dataclass(slots=True)
class Answer:
    """The units of an answer in their order, and how much of each was heard.

    Unit by unit, as one may fail or be left out between two that are heard.
    """

    _units: dict[int, _Unit] = field(default_factory=dict)

    def write(self, unit_id: int, text: str) -> None:
        """A unit is to be said."""
        self._units[unit_id] = _Unit(text)

    def hear(self, unit_id: int | None, text: str) -> None:
        """Words of a unit were heard; those of others, and of none, do not count."""
        if unit_id in self._units:
            self._units[unit_id].heard += text

    @property
    def rest(self) -> str:
        """What comes behind the last word that was heard; empty where none was."""
        units = list(self._units.values())
        last = max((at for at, unit in enumerate(units) if unit.heard.strip()), default=None)
        if last is None:
            return ""
        begun, *others = units[last:]
        left = [rest_of(begun.text, begun.heard), *(unit.text.strip() for unit in others)]
        return " ".join(filter(None, left))


def rest_of(written: str, heard: str) -> str:
    """The part of ``written`` behind the words ``heard``, trimmed.

    ``heard`` is the beginning of ``written`` but for white space, which may differ.
    """
    left = sum(not letter.isspace() for letter in heard)
    for at, letter in enumerate(written):
        if not left:
            return written[at:].strip()
        left -= not letter.isspace()
    return ""


def shortened(text: str, most: int) -> str:
    """``text``, or its beginning up to a word's end and "…", of at most ``most`` characters."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return f"{cut.rsplit(maxsplit=1)[0] if ' ' in cut else cut}…"
