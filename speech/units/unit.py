"""What the splitter hands out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UnitKind(StrEnum):
    """``SPOKEN`` is for the voice. ``CODE`` is a fenced block or a part of a long one.
    ``SILENT`` is what holds no letter and no digit and found no neighbour."""

    SPOKEN = "spoken"
    CODE = "code"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a reply; the units of a reply lie end to end and leave nothing out.

    ``[start, end)`` are code points of the reply, white space in front of it included.
    ``text`` is what may be spoken, trimmed; empty for what is not spoken.
    ``written`` is the stretch as it was written, for the record.
    """

    text: str
    start: int
    end: int
    kind: UnitKind
    written: str
