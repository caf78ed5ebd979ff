"""Units of a reply, the calls they rest on, and the state that follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from speech.evidence.lead_in import is_lead_in

ANY = ""
"""A marker without a name: whatever is being found out."""

MOST_CALLS = 64
"""Calls that are remembered; the oldest are forgotten, those that run last."""


class State(StrEnum):
    """Of a unit. ``FREE`` rests on nothing; ``OVERDUE`` has waited for too long."""

    FREE = "free"
    PENDING = "pending"
    VERIFIED = "verified"
    RETRACTED = "retracted"
    OVERDUE = "overdue"


@dataclass(slots=True)
class Call:
    """Something that is being found out. ``evidence``: unmarked words of its reply rest on it.

    ``outlasts``: the talk goes on while it runs, so later replies rest on it too.
    """

    call_id: str
    tool: str
    reply: int
    begun: float
    evidence: bool
    outlasts: bool = False
    state: State = State.PENDING
    why: str = ""


@dataclass(slots=True)
class Unit:
    """Words in the order they are spoken; ``item`` is whatever carries them.

    ``names`` are those of its markers; ``earlier`` the calls of earlier replies that ran
    when it came.
    """

    item: object
    text: str
    names: frozenset[str]
    reply: int
    since: float
    earlier: tuple[str, ...] = ()
    overdue: bool = False
    leads_in: bool = field(init=False)

    def __post_init__(self) -> None:
        self.leads_in = not self.names and is_lead_in(self.text)


class Claims:
    """The calls of a conversation. Pure bookkeeping, no clock."""

    def __init__(self) -> None:
        self._calls: dict[str, Call] = {}

    def begin(self, call: Call) -> None:
        """A call has begun; a known one is left as it is."""
        if call.call_id in self._calls:
            return
        self._calls[call.call_id] = call
        while len(self._calls) > MOST_CALLS:
            known = (i for i, c in self._calls.items() if c.state is not State.PENDING)
            self._calls.pop(next(known, next(iter(self._calls))))

    def get(self, call_id: str) -> Call | None:
        """The call of this id."""
        return self._calls.get(call_id)

    def settle(self, call_id: str, verified: bool, why: str) -> Call | None:
        """The call's outcome; None for one that is unknown or has its outcome already."""
        call = self._calls.get(call_id)
        if call is None or call.state in (State.VERIFIED, State.RETRACTED):
            return None
        call.state, call.why = (State.VERIFIED if verified else State.RETRACTED), why
        return call

    def running(self, reply: int) -> list[Call]:
        """Evidence of this reply that is not known yet."""
        calls = self._calls.values()
        return [c for c in calls if c.reply == reply and c.evidence and c.state is State.PENDING]

    def called(self, reply: int) -> bool:
        """Whether this reply has called anything."""
        return any(call.reply == reply for call in self._calls.values())

    def lasting(self) -> tuple[str, ...]:
        """Calls that run on while the talk goes on."""
        found = [c for c in self._calls.values() if c.outlasts and c.state is State.PENDING]
        return tuple(call.call_id for call in found)

    def of(self, unit: Unit, *, written: bool) -> list[Call]:
        """What the unit rests on. ``written``: its reply is complete, no call will follow.

        A marker's name that nothing bears stands for all calls of the reply.
        """
        near = [c for c in self._calls.values() if c.reply == unit.reply]
        near += [c for c in map(self.get, unit.earlier) if c is not None]
        if not unit.names:
            return [] if unit.leads_in else [call for call in near if call.evidence]
        named = [call for call in near if ANY in unit.names or call.tool in unit.names]
        return named or (near if written else [])

    def state(self, unit: Unit, *, written: bool) -> State:
        """One call retracted retracts the unit; all must be verified to verify it."""
        calls = self.of(unit, written=written)
        states = {call.state for call in calls}
        if State.RETRACTED in states:
            return State.RETRACTED
        if unit.overdue or State.OVERDUE in states:
            return State.OVERDUE
        if State.PENDING in states:
            return State.PENDING
        if states:
            return State.VERIFIED
        return State.FREE if not unit.names else self._without_call(unit, written)

    def _without_call(self, unit: Unit, written: bool) -> State:
        """Of marked words that no call of their reply can verify, or none yet."""
        if not written:
            return State.PENDING
        return State.FREE if self._was_known(unit) else State.OVERDUE

    def expire(self, unit: Unit, *, written: bool) -> None:
        """The unit, and what else rests on the same calls, has waited for too long."""
        unit.overdue = True
        for call in self.of(unit, written=written):
            if call.state is State.PENDING:
                call.state = State.OVERDUE

    def _was_known(self, unit: Unit) -> bool:
        """The marker names what had its outcome before the reply was written."""
        earlier: Iterable[Call] = (c for c in self._calls.values() if c.reply < unit.reply)
        done = {c.tool for c in earlier if c.state in (State.VERIFIED, State.RETRACTED)}
        return bool(unit.names - {ANY}) and unit.names <= done
