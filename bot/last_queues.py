"""The queues of this machine's last conversation, kept for ``earshot doctor``: figures only."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from speech.queues import QueueUse
from speech.whole_file import replacing


def queues_file() -> Path:
    """``earshot/queues.json`` in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "earshot" / "queues.json"


def remember(uses: Sequence[QueueUse], path: Path | None = None) -> None:
    """Best effort: on a read-only or full disk the doctor knows of no conversation."""
    path = path or queues_file()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            part.write_text(json.dumps([asdict(use) for use in uses]), encoding="utf-8")


def recall(path: Path | None = None) -> list[QueueUse]:
    """What was remembered; nothing where the file is absent, damaged or another version's."""
    try:
        records = json.loads((path or queues_file()).read_text(encoding="utf-8"))
        return [_use(record) for record in records]
    except (OSError, ValueError, TypeError, RecursionError):
        return []


def _use(record: dict[str, object]) -> QueueUse:
    use = QueueUse(**record)  # type: ignore[arg-type]  # checked below
    texts, numbers = (use.name, use.unit, use.policy), (use.bound, use.high_water, use.dropped)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a name, unit or policy that is no text")
    if not all(isinstance(number, int | float) for number in numbers):
        raise TypeError("a figure that is no number")
    return use
