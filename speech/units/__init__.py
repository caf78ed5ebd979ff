"""Streamed text to speakable units: pure, with no clock and no I/O."""

from speech.units.splitter import UnitSplitter
from speech.units.unit import Unit, UnitKind

__all__ = ["Unit", "UnitKind", "UnitSplitter"]
