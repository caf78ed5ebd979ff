"""News about a device: lost, back, silent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["input", "output"]

State = Literal["open", "lost", "back", "silent", "heard"]
"""``silent``: the microphone gives nothing; ``heard``: it gives sound again."""


@dataclass(frozen=True, slots=True)
class DeviceNotice:
    """One piece of news; ``message`` is a line for the user."""

    kind: Kind
    state: State
    device: str
    message: str


Notify = Callable[[DeviceNotice], None]
"""Called on the event loop; must not block."""

NOUNS: dict[Kind, str] = {"input": "microphone", "output": "speaker"}
