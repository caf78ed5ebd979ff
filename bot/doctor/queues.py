"""A check of what the last conversation on this machine asked of its queues."""

from __future__ import annotations

from pathlib import Path

from bot.doctor.check import Check
from bot.last_queues import recall
from bot.view.state import printable
from speech.queues import QueueUse


def check_queues(path: Path | None = None) -> Check:
    """How full each queue was in the last ``earshot talk``, and whether one lost something."""
    uses = recall(path)
    if not uses:
        return Check("queues", "ok", "nothing measured yet: earshot talk does")
    shown = "; ".join(_shown(use) for use in uses if use.high_water or use.dropped)
    detail = f"in the last talk at most: {shown}" if shown else "empty throughout the last talk"
    if any(use.dropped for use in uses):
        fix = "the machine, or a listener, did not keep up: docs/backpressure.md"
        return Check("queues", "warn", detail, fix)
    return Check("queues", "ok", detail)


def _shown(use: QueueUse) -> str:
    unit = printable(use.unit)
    lost = f", {use.dropped:g} {unit} lost" if use.dropped else ""
    return f"{printable(use.name)} {use.high_water:g} of {use.bound:g} {unit}{lost}"
