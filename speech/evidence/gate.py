"""Units in, units out, in order: each when its words may be spoken."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from speech.evidence.actions import Action, Kind, Pass, Release, Say, TakeBack, Withhold
from speech.evidence.claims import Call, Claims, State, Unit
from speech.evidence.lead_in import announces, is_claim
from speech.evidence.preamble import Bridge, Choice
from speech.evidence.rules import AtBound, Rules
from speech.evidence.said import Said, SaidUnits
from speech.evidence.waits import WaitTimes


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that is no unit, in its place. ``keep``: it survives an interruption.

    ``ends``: with it a reply is complete at the voice.
    """

    item: object
    keep: bool
    ends: bool = False


class Gate:
    """The rules of one conversation. Each event returns what is to be done, in order.

    Everything leaves in the order it came: what stands behind a pending unit waits too.
    At most ``rules.max_units`` units wait, each at most ``rules.max_wait_s``; ``deadline``
    is when ``tick`` must be called at the latest.
    """

    def __init__(
        self,
        rules: Rules,
        waits: WaitTimes | None = None,
        *,
        clock: Callable[[], float],
        rng: random.Random | None = None,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._waits = waits if waits is not None else WaitTimes()
        self._claims = Claims()
        self._said = SaidUnits()
        self._bridge = Bridge(rules, self._waits, clock)
        self._preambles = Choice(rules.preambles, rng or random.Random())  # noqa: S311
        self._queue: deque[Unit | Passage] = deque()
        self._reply = 0
        self._asked_at = 0.0
        self._writing = False
        self._first = False
        self._inside = False  # the voice has words of a reply and not its end
        self._led_in = False
        self._overdue_said = -1

    @property
    def held(self) -> int:
        """How many units wait."""
        return sum(isinstance(entry, Unit) for entry in self._queue)

    @property
    def deadline(self) -> float | None:
        """When something is due although nothing happens; None: never."""
        dues = [unit.since + self._rules.max_wait_s for unit in self._waiting()[:1]]
        bridge = self._bridge.due
        return min(dues + ([bridge] if bridge is not None else []), default=None)

    def reply_started(self, item: object) -> list[Action]:
        """The model is asked: a new reply."""
        self._reply += 1
        self._asked_at = self._clock()
        self._writing = self._first = True
        self._inside = self._led_in = False
        return self.passage(item)

    def reply_ended(self, item: object) -> list[Action]:
        """The reply is complete. One without words or calls has left nothing to wait for."""
        self._writing = False
        if self._first and not self._claims.called(self._reply):
            self._bridge.end()
        self._queue.append(Passage(item, keep=False, ends=True))
        return list(self._settle())

    def calls_begun(self, calls: Iterable[tuple[str, str, bool]]) -> list[Action]:
        """The reply calls tools: id, name, whether its words rest on the call."""
        for call_id, tool, evidence in calls:
            self._claims.begin(Call(call_id, tool, self._reply, self._clock(), evidence))
        self._await_calls()
        return list(self._settle())

    def call_outlasts(self, call_id: str) -> None:
        """The talk goes on while this call runs."""
        if (call := self._claims.get(call_id)) is not None:
            call.outlasts = call.evidence

    def unit(self, item: object, text: str, names: Iterable[str] = ()) -> list[Action]:
        """The reply's next words; ``names`` are those of the markers around them."""
        if self._first:
            self._first = False
            self._waits.note_pass(self._clock() - self._asked_at)
        earlier = self._claims.lasting()
        unit = Unit(item, text, frozenset(names), self._reply, self._clock(), earlier)
        self._queue.append(unit)
        actions = list(self._settle())
        if self.held > self._rules.max_units:
            actions += self._expire()
        return actions

    def passage(self, item: object, *, keep: bool = False) -> list[Action]:
        """Something else, which keeps its place."""
        self._queue.append(Passage(item, keep))
        return list(self._settle())

    def settle(self, call_id: str, *, verified: bool, why: str = "") -> list[Action]:
        """A call has its outcome. Of one that is unknown or has one already nothing follows."""
        call = self._claims.settle(call_id, verified, why)
        if call is None:
            return []
        self._waits.note_tool(call.tool, self._clock() - call.begun)
        wrong = [] if verified else self._wrong(call)
        self._said.owed += wrong
        taken_back: list[Action] = [TakeBack(said.unit.text, why) for said in wrong]
        return taken_back + list(self._settle())

    def heard(self, text: str) -> None:
        """A piece of what was released has been played.

        With the last one the bot is silent: while its reply is open nobody else says so.
        """
        self._said.heard(text)
        if self._said.finished:
            self._bridge.stopped()

    def bot_started(self) -> None:
        """The bot is heard."""
        self._bridge.started()

    def bot_stopped(self) -> None:
        """The bot is silent."""
        self._bridge.stopped()

    def interrupted(self) -> list[Action]:
        """The user has the floor: what is held is dropped, but for what must be kept."""
        kept = [Pass(e.item) for e in self._queue if isinstance(e, Passage) and e.keep]
        self._queue.clear()
        self._said.cut()
        self._bridge.end()
        self._bridge.stopped()
        self._writing = self._first = False
        return list(kept)

    def finish(self) -> list[Action]:
        """The conversation ends: what is pending is not spoken, what is not goes first."""
        self._bridge.end()
        self._writing = False
        actions: list[Action] = []
        while self._queue:
            actions += self._settle()
            if self._queue and isinstance(unit := self._queue.popleft(), Unit):
                actions.append(Withhold(unit.item, unit.text, State.PENDING, "the end"))
        return actions

    def tick(self) -> list[Action]:
        """What the time alone brings about."""
        now = self._clock()
        waiting = self._waiting()
        if waiting and now >= waiting[0].since + self._rules.max_wait_s:
            return self._expire()
        if (due := self._bridge.due) is not None and now >= due:
            self._bridge.end()
            if text := self._preambles.next():
                self._bridge.released()
                return [Say(text, Kind.PREAMBLE, inside=self._inside)]
        return []

    def _waiting(self) -> list[Unit]:
        return [entry for entry in self._queue if isinstance(entry, Unit)]

    def _written(self, unit: Unit) -> bool:
        return unit.reply < self._reply or not self._writing

    def _expire(self) -> list[Action]:
        self._bridge.end()
        head = self._waiting()[0]
        self._claims.expire(head, written=self._written(head))
        return list(self._settle())

    def _settle(self) -> Iterator[Action]:
        """Let go, from the front, of what has to wait no longer."""
        while self._queue:
            entry = self._queue[0]
            if isinstance(entry, Passage):
                self._queue.popleft()
                self._inside = self._inside and not entry.ends
                yield Pass(entry.item)
                continue
            state = self._claims.state(entry, written=self._written(entry))
            if state is State.PENDING and self._rules.holds:
                return
            self._queue.popleft()
            yield from self._decided(entry, state)

    def _decided(self, unit: Unit, state: State) -> Iterator[Action]:
        if state is State.RETRACTED:
            calls = self._claims.of(unit, written=True)
            why = next((call.why for call in calls if call.state is State.RETRACTED), "")
            yield Withhold(unit.item, unit.text, state, why)
            return
        if state is State.OVERDUE and self._rules.holds:
            yield from self._at_bound(unit)
            if self._rules.at_bound == AtBound.DROP:
                yield Withhold(unit.item, unit.text, state, "not known in time")
                return
        yield from self._release(unit, state)

    def _at_bound(self, unit: Unit) -> Iterator[Action]:
        """The words for it, once a reply."""
        drop = self._rules.at_bound == AtBound.DROP
        text = self._rules.apology if drop else self._rules.hedge
        if text and self._overdue_said != unit.reply:
            yield from self._corrections()
            self._spoken()
            yield Say(text, Kind.APOLOGY if drop else Kind.HEDGE)
        self._overdue_said = unit.reply

    def _release(self, unit: Unit, state: State) -> Iterator[Action]:
        if not unit.leads_in:
            yield from self._corrections()
        self._spoken()
        bridges = unit.leads_in and announces(unit.text)
        self._led_in = self._led_in or bridges
        self._said.release(unit)
        self._await_calls()
        filler = Kind.LEAD_IN if bridges else None
        yield Release(unit.item, state, filler, self._clock() - unit.since)

    def _await_calls(self) -> None:
        running = self._claims.running(self._reply)
        if running and not self._led_in:
            self._bridge.begin([call.tool for call in running], held=self.held > 0)

    def _spoken(self) -> None:
        self._bridge.end()
        self._bridge.released()
        self._inside = True

    def _corrections(self) -> Iterator[Action]:
        """What is owed, in one sentence however much it is."""
        owed, self._said.owed = self._said.owed, []
        if owed and (text := self._rules.correction):
            self._spoken()
            unit = Unit(None, text, frozenset(), self._reply, self._clock())
            self._said.release(unit, amends=owed)
            yield Say(text, Kind.CORRECTION)

    def _wrong(self, call: Call) -> list[Said]:
        """What was said and rested on this call."""
        return [
            said
            for said in self._said.standing()
            if is_claim(said.unit.text) and call in self._claims.of(said.unit, written=True)
        ]
