"""What is said for what is written: ``spoken(text, language)`` and an engine that says it."""

from speech.spoken.draft import Span, Spoken
from speech.spoken.normalizer import Normalizer, spoken

__all__ = ["Normalizer", "Span", "Spoken", "spoken"]
