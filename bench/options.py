"""What a benchmark is asked for."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from bot.config.schema import Settings
from speech.errors import UsageError

MIN_ROUNDS = 5
"""Fewer show the machine's mood; figures for the docs need at least this."""


class Progress(Protocol):
    """Told what is being done."""

    def begin(self, label: str, steps: int) -> None:
        """A new part of so many steps."""
        ...

    def step(self) -> None:
        """One of them is done."""
        ...


class NoProgress:
    """For tests and callers without a terminal."""

    def begin(self, label: str, steps: int) -> None:
        pass

    def step(self) -> None:
        pass


@dataclass(frozen=True)
class Options:
    """``only`` names the parts to run (empty: all); ``threads`` 0 takes ``tts.threads``.

    ``quick`` is one round with few texts: it shows that the benchmark works, not how fast
    anything is. ``fast`` adds our engine with ``tts.precision: fast``. Peers run with our
    session options, which keep idle threads from spinning; with ``peer_spinning`` they spin,
    as the peers ship. ``misses`` is how many wrongly cut replies of each splitter to show.
    ``slo_ms`` is within what a reply's first audio has to come for a session to be held (load).
    ``over_wire`` puts the voice behind a speech server (bargein, load).
    """

    settings: Settings
    rounds: int = MIN_ROUNDS
    quick: bool = False
    fast: bool = False
    peer_spinning: bool = False
    only: Collection[str] = ()
    threads: int = 0
    misses: int = 0
    slo_ms: int = 1000
    over_wire: bool = False
    progress: Progress = field(default_factory=NoProgress)

    @property
    def effective_rounds(self) -> int:
        return 1 if self.quick else self.rounds

    @property
    def effective_threads(self) -> int:
        """Threads that every engine gets: never "all", so that all get the same number."""
        return self.threads or self.settings.tts.threads or usable_cores()

    def parts(self, known: Collection[str]) -> list[str]:
        """The parts to run, in the order of ``known``. Raises ``UsageError``."""
        if unknown := sorted(set(self.only) - set(known)):
            raise UsageError(
                f"this benchmark has no part {', '.join(unknown)}; parts: {', '.join(known)}"
            )
        return [part for part in known if not self.only or part in self.only]


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
