"""What a model writes for itself is not said."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_UNFINISHED = re.compile(r"</?[a-z]{0,9}\s{0,9}\Z", re.IGNORECASE)
"""What may become a tag with the next piece."""


class Aloud:
    """Text without ``<think>…</think>``, from pieces cut anywhere.

    Models like DeepSeek R1 think in their answer. What is never closed is thought to its
    end; a lone end of a thought is left out.
    """

    def __init__(self) -> None:
        self.thinking = False
        """Set while the last piece ended in a thought."""
        self._held = ""

    def push(self, piece: str) -> str:
        """What of it is said."""
        text, said, at = self._held + piece, "", 0
        for tag in _TAG.finditer(text):
            said += "" if self.thinking else text[at : tag.start()]
            self.thinking, at = not tag[1], tag.end()
        unfinished = _UNFINISHED.search(text, max(at, len(text) - 20))
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return said if self.thinking else said + text[at:end]
