"""What a scenario expects, held against what happened. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.scenario.names import RESPONSE
from bot.scenario.schema import Call, Expectation, Scenario
from bot.scenario.turns import Conversation, Turn
from bot.scenario.words import contains, word_error_rate
from speech.timeline import TimelineEvent

_LONGEST_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Check:
    """``turn`` counts from 1; None for what is expected of the whole run."""

    what: str
    passed: bool
    saw: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a run a turn's expectations look at.

    ``start`` is when the turn's audio began, ``anchor`` when its speech ended: time
    budgets count from there. ``said`` is the turn's text, where the scenario gives it.
    """

    start: float
    anchor: float
    end: float
    said: str | None = None
    number: int | None = None


def check(
    scenario: Scenario,
    windows: Sequence[Window],
    events: Sequence[TimelineEvent],
    conversation: Conversation,
    context: str = "",
) -> list[Check]:
    """Every expectation of every turn that was played, then the scenario's own.

    A turn that never came fails each of its expectations. ``context`` is everything the
    model was given or said, at the end of the run.
    """
    ordered = sorted(events, key=lambda event: event.at)
    checks: list[Check] = []
    for index, turn in enumerate(scenario.turns):
        if index < len(windows):
            checks += _Checker(windows[index], ordered, conversation, context).all(turn.expect)
        else:
            missing = "the run ended before this turn"
            checks += [Check(describe(e), False, missing, index + 1) for e in turn.expect]
    start = windows[0].start if windows else 0.0
    whole = Window(float("-inf"), start, float("inf"))
    return checks + _Checker(whole, ordered, conversation, context).all(scenario.expect)


class _Checker:
    """Meets a window's expectations in order, each from where the one before was met."""

    def __init__(
        self,
        window: Window,
        events: Sequence[TimelineEvent],
        conversation: Conversation,
        context: str,
    ) -> None:
        self._window = window
        self._context = context
        self._conversation = conversation
        self._events = [e for e in events if window.start <= e.at < window.end]
        self._met = window.start

    def all(self, expectations: Sequence[Expectation]) -> list[Check]:
        return [self._one(expectation) for expectation in expectations]

    def _one(self, expected: Expectation) -> Check:
        if expected.turns is not None:
            passed, saw = self._count(expected.turns, len(self._turns()))
        elif expected.interruptions is not None:
            passed, saw = self._count(expected.interruptions, self._cuts())
        elif expected.context_contains:
            passed, saw = self._remembered(expected.context_contains)
        elif expected.start is not None:
            passed, saw = self._between(expected)
        elif expected.absent:
            passed, saw = self._absent(expected)
        else:
            passed, saw = self._present(expected)
        return Check(describe(expected), passed, saw, self._window.number)

    @staticmethod
    def _count(wanted: int, got: int) -> tuple[bool, str]:
        return wanted == got, str(got)

    def _remembered(self, phrases: Sequence[str]) -> tuple[bool, str]:
        missing = [phrase for phrase in phrases if not contains(self._context, phrase)]
        return not missing, f"without {', '.join(map(repr, missing))}" if missing else "all of it"

    def _turns(self) -> list[Turn]:
        return [t for t in self._conversation.turns if self._inside(t.anchor)]

    def _inside(self, at: float) -> bool:
        return self._window.start <= at < self._window.end

    def _cuts(self) -> int:
        return sum(self._inside(cut.at) for cut in self._conversation.interruptions)

    def _between(self, expected: Expectation) -> tuple[bool, str]:
        start, end = str(expected.start), str(expected.end)
        seen = [t.times for t in self._turns() if start in t.times and end in t.times]
        if not seen:
            absent = [s for s in (start, end) if not any(s in t.times for t in self._turns())]
            return False, f"no turn here has {' and '.join(absent or [start, end])}"
        spans = [times[end] - times[start] for times in seen]
        if (start, end) == ("interrupt", "silent"):
            spans = [max(0.0, span) for span in spans]  # cut between two sounds: silent already
        low, high = expected.min_s or float("-inf"), expected.max_s
        passed = all(low <= s <= (float("inf") if high is None else high) for s in spans)
        return passed, ", ".join(f"{span:.3f} s" for span in spans)

    def _absent(self, expected: Expectation) -> tuple[bool, str]:
        since = self._since(expected)
        until = self._until(expected)
        found = [e for e in self._named(expected) if since <= e.at < until]
        if not found:
            return True, "none"
        return False, f"{expected.event} {found[0].at - self._window.anchor:+.2f} s after the user"

    def _present(self, expected: Expectation) -> tuple[bool, str]:
        since = self._since(expected)
        candidates = [e for e in self._named(expected) if e.at >= since]
        if not candidates:
            return False, f"no {expected.event}"
        met, saw = self._match(expected, candidates)
        if met is None:
            return False, saw
        self._met = max(self._met, met)
        late = met - self._until(expected)
        if late >= 0:
            return False, f"{saw}, {late * 1000:.0f} ms too late"
        return True, saw

    def _match(
        self, expected: Expectation, candidates: Sequence[TimelineEvent]
    ) -> tuple[float | None, str]:
        """When the expectation was met (None: it was not), and what was seen."""
        if expected.calls:
            return _match_calls(expected.calls, candidates)
        text = _joined(candidates)
        if not (expected.text_contains or expected.text_excludes or expected.wer_max is not None):
            return candidates[0].at, text or f"{candidates[0].at - self._window.anchor:+.2f} s"
        if any(contains(text, phrase) for phrase in expected.text_excludes):
            return None, _short(text)
        if expected.wer_max is not None:
            return self._match_words(expected, text, candidates)
        for index in range(len(candidates)):
            so_far = _joined(candidates[: index + 1])
            if all(contains(so_far, phrase) for phrase in expected.text_contains):
                return candidates[index].at, _short(text)
        return None, _short(text)

    def _match_words(
        self, expected: Expectation, text: str, candidates: Sequence[TimelineEvent]
    ) -> tuple[float | None, str]:
        reference = expected.text or self._window.said
        if reference is None:
            return None, "nothing to compare with: give the turn's user text, or text here"
        rate = word_error_rate(reference, text)
        good = rate <= (expected.wer_max or 0.0)
        good = good and all(contains(text, phrase) for phrase in expected.text_contains)
        return (candidates[-1].at if good else None), f"{_short(text)} (WER {rate:.2f})"

    def _named(self, expected: Expectation) -> list[TimelineEvent]:
        if expected.event == RESPONSE:
            return [
                e for e in self._events if e.name == "note" and e.fields.get("what") == RESPONSE
            ]
        return [event for event in self._events if event.name == expected.event]

    def _since(self, expected: Expectation) -> float:
        # What was heard is worked out after the run: it has no place in the order of events.
        anywhere = expected.check_from == "turn_start" or expected.event == RESPONSE
        since = self._window.start if anywhere else self._met
        if expected.after is None:
            return since
        return max(since, self._anchor(expected))

    def _anchor(self, expected: Expectation) -> float:
        if expected.after is None:
            return self._window.anchor
        found = [event.at for event in self._events if event.name == expected.after]
        return found[0] if found else float("inf")

    def _until(self, expected: Expectation) -> float:
        if expected.within_ms is None:
            return float("inf")
        return self._anchor(expected) + expected.within_ms / 1000


def _match_calls(
    wanted: Sequence[Call], candidates: Sequence[TimelineEvent]
) -> tuple[float | None, str]:
    saw = ", ".join(str(e.fields.get("tool")) for e in candidates)
    met = []
    for call in wanted:
        found = next((e for e in candidates if _is_call(call, e)), None)
        if found is None:
            return None, saw
        met.append(found.at)
    return max(met), saw


def _is_call(call: Call, event: TimelineEvent) -> bool:
    given = event.fields.get("arguments") or {}
    right_name = event.fields.get("tool") == call.name
    return right_name and all(given.get(k) == v for k, v in (call.args or {}).items())


def _joined(events: Sequence[TimelineEvent]) -> str:
    joiner = "" if events and events[0].name in ("bot_text", "heard_text") else " "
    return " ".join(joiner.join(str(e.fields.get("text", "")) for e in events).split())


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def describe(expected: Expectation) -> str:
    """The expectation as one readable line."""
    if expected.turns is not None:
        return f"turns: {expected.turns}"
    if expected.interruptions is not None:
        return f"interruptions: {expected.interruptions}"
    if expected.context_contains:
        return "context contains " + ", ".join(map(repr, expected.context_contains))
    if expected.start is not None:
        low = f" at least {expected.min_s:g} s" if expected.min_s is not None else ""
        high = f" at most {expected.max_s:g} s" if expected.max_s is not None else ""
        return f"{expected.start} to {expected.end}{low}{high}"
    return str(expected.event) + "".join(f" {clause}" for clause in _clauses(expected))


def _clauses(expected: Expectation) -> list[str]:
    clauses = ["absent"] if expected.absent else []
    clauses += [f"contains {phrase!r}" for phrase in expected.text_contains]
    clauses += [f"excludes {phrase!r}" for phrase in expected.text_excludes]
    clauses += [f"calls {call.name}" for call in expected.calls or []]
    if expected.wer_max is not None:
        clauses.append(f"with a word error rate of at most {expected.wer_max:g}")
    if expected.within_ms is not None:
        clauses.append(f"within {expected.within_ms:g} ms")
    if expected.after is not None:
        clauses.append(f"after {expected.after}")
    return clauses
