"""A check's result, and running checks so that none can hang the command."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "warn", "fail"]

DEADLINE_S = 20.0
"""For one check; importing the speech stack from a cold disk is the slowest of them."""


@dataclass(frozen=True)
class Check:
    """``detail`` says what was found, ``fix`` what to do about it.

    ``warn``: Earshot runs, but not all of it or not as well. ``fail``: it does not run.
    ``figures``: what was measured, for machines.
    """

    name: str
    status: Status
    detail: str
    fix: str = ""
    figures: dict[str, Any] = field(default_factory=dict)

    def to_record(self) -> dict[str, Any]:
        """For ``--json``; ``figures`` only where there are some."""
        record = {
            "name": self.name, "status": self.status, "detail": self.detail, "fix": self.fix,
        }  # fmt: skip
        return record | ({"figures": self.figures} if self.figures else {})


Result = Check | list[Check]


@dataclass(frozen=True)
class Probe:
    """A named function that finds something out; it may block, raise or never return."""

    name: str
    run: Callable[[], Result]
    deadline_s: float = DEADLINE_S


def run_probes(probes: Sequence[Probe]) -> Iterator[Check]:
    """The probes' results in their order; all run at once, each until its deadline."""
    answers = [_start(probe) for probe in probes]
    for probe, answer in zip(probes, answers, strict=True):
        try:
            result = answer.get(timeout=probe.deadline_s)
        except queue.Empty:
            result = Check(probe.name, "fail", f"no answer within {probe.deadline_s:.0f} s")
        yield from result if isinstance(result, list) else [result]


def _start(probe: Probe) -> queue.Queue[Result]:
    answer: queue.Queue[Result] = queue.Queue(maxsize=1)

    def work() -> None:
        try:
            result = probe.run()
        except Exception as error:  # a check that breaks is a finding, not the end
            result = Check(probe.name, "fail", f"cannot be checked: {error or type(error)}")
        answer.put(result)

    # A daemon: a probe that hangs in a driver must not hold the process.
    threading.Thread(target=work, name=f"doctor {probe.name}", daemon=True).start()
    return answer
