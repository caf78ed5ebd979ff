"""What to do when the model does not answer: pure decisions, no I/O."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

RETRY_PAUSE_S = 0.25
"""Before a second try at a server that refused or broke off: time to come back, not heard."""


class FaultKind(StrEnum):
    """Why an attempt ended without a whole answer."""

    CONNECT = "connect"
    FIRST_TOKEN = "first_token"  # noqa: S105  # not a password
    STALL = "stall"
    BROKEN = "broken"
    RATE_LIMIT = "rate_limit"
    REFUSED = "refused"
    NOT_FOUND = "not_found"
    REJECTED = "rejected"
    SERVER = "server"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    NOT_AN_API = "not_an_api"
    UNEXPECTED = "unexpected"


PAUSE_S = {
    FaultKind.CONNECT: RETRY_PAUSE_S,
    FaultKind.BROKEN: RETRY_PAUSE_S,
    FaultKind.SERVER: RETRY_PAUSE_S,
    FaultKind.FIRST_TOKEN: 0.0,
    FaultKind.STALL: 0.0,
    FaultKind.EMPTY: 0.0,
}
"""Faults worth a second try without being told when, and the pause before it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``detail`` is for the operator's log: never a key, never what people said.

    ``parameter`` is one the model does not take and can do without; ``context_tokens`` is
    how much it takes, where it said so when that was too much.
    """

    kind: FaultKind
    status: int | None = None
    retry_after_s: float | None = None
    detail: str = ""
    parameter: str | None = None
    context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask again after ``after_s`` seconds."""

    after_s: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Say the apology; ask no more in this turn."""


class TurnPolicy:
    """Decides for one turn; make a new one for the next.

    Once a word of the answer has been handed on there is no retry: a second completion
    starts from the beginning, so its first words would be heard twice, and the
    chat-completions interface has no portable way to ask for the rest of a sentence.
    """

    def __init__(self, retries: int, max_retry_after_s: float) -> None:
        self._left = retries
        self._max_retry_after_s = max_retry_after_s

    def decide(self, fault: Fault, *, spoken: bool) -> Retry | GiveUp:
        """``spoken``: words of this answer have left for the listener."""
        pause = self._pause(fault)
        if spoken or self._left == 0 or pause is None:
            return GiveUp()
        self._left -= 1
        return Retry(pause)

    def _pause(self, fault: Fault) -> float | None:
        """Seconds to wait, or None where asking again is useless or unwelcome."""
        if fault.kind not in (FaultKind.RATE_LIMIT, FaultKind.SERVER):
            return PAUSE_S.get(fault.kind)
        if fault.retry_after_s is None:
            return PAUSE_S.get(fault.kind)
        return fault.retry_after_s if fault.retry_after_s <= self._max_retry_after_s else None


class StreamDeadline:
    """Until when the next token must come, on an injected monotonic clock (seconds).

    Only what brings the answer on counts as progress: keep-alives, blanks and signs do not,
    since the listener hears nothing of them.
    """

    END_S = 0.5
    """After the finish reason only the usage may still come; it is not worth a silence."""

    SILENCE_S = 30.0
    """Tool calls under construction and thoughts are not heard: so long since the last words."""

    LONGEST_S = 1200.0
    """In all. A stream that goes on is cut off: nobody listens to one answer for longer."""

    def __init__(self, clock: Callable[[], float], *, first_token_s: float, stall_s: float) -> None:
        self._clock = clock
        self._stall_s = stall_s
        self._silence_s = max(self.SILENCE_S, first_token_s)
        self._end = clock() + self.LONGEST_S
        self._silent_until = clock() + self._silence_s
        self._due = clock() + first_token_s
        self._started = False
        self.finished = False

    def progress(self, *, heard: bool = True) -> None:
        """Words came, or, not ``heard``, a piece of a tool call or a thought."""
        self._started = True
        if heard:
            self._silent_until = self._clock() + self._silence_s
        self._due = min(self._clock() + self._stall_s, self._silent_until)

    def finish(self) -> None:
        """The answer is whole; what follows is bookkeeping."""
        self.finished = True
        self._due = self._clock() + self.END_S

    def waited(self, seconds: float) -> None:
        """So long nobody read on, as the listener was behind: not the server's time."""
        self._end += seconds
        self._silent_until += seconds
        self._due += seconds

    @property
    def remaining_s(self) -> float:
        """Never negative."""
        return max(0.0, self._due - self._clock())

    @property
    def too_late(self) -> bool:
        """No time is left, though something may still come."""
        return self._clock() >= self._due

    @property
    def too_long(self) -> bool:
        """The answer has been coming for ``LONGEST_S``."""
        return self._clock() >= self._end

    @property
    def fault(self) -> Fault:
        """What it means that the time has run out."""
        return Fault(FaultKind.STALL if self._started else FaultKind.FIRST_TOKEN)


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds from a ``Retry-After`` header (a number or an HTTP date); None if unusable."""
    if value is None:
        return None
    text = value.strip()
    if text.replace(".", "", 1).isdecimal() and text.isascii():
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())
