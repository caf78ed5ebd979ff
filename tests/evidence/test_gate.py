"""Guards: words that rest on something unknown wait for it, in order, and not for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.evidence.actions import Release, Withhold
from speech.evidence.claims import State
from tests.evidence.bench import Bench


def test_what_rests_on_nothing_passes_at_once() -> None:
    b = Bench()
    b.start()
    b.say("Hello.", "It is nine.")
    b.end()
    assert b.text == "(start) Hello. It is nine. (end)"


def test_held_then_verified() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Booked.")
    b.end()
    b.do(b.gate.passage("call", keep=True))
    assert (b.text, b.gate.held) == ("(start)", 1)
    b.ok("c1")
    assert b.text == "(start) Booked. (end) (call)"
    assert [a.state for a in b.actions if isinstance(a, Release)] == [State.VERIFIED]


def test_held_then_retracted() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Booked.")
    b.end()
    b.bad("c1")
    assert b.text == "(start) [Booked.] (end)"
    assert [a.why for a in b.actions if isinstance(a, Withhold)] == ["full"]
    b.start()
    b.say("It is full.")
    assert b.text.endswith("(start) It is full."), "nothing to correct: nobody heard it"


def test_a_call_that_is_no_evidence_holds_nothing() -> None:
    b = Bench()
    b.start()
    b.call("c1", evidence=False)
    b.say("Booked.")
    b.bad("c1")
    assert b.text == "(start) Booked."


def test_a_lead_in_is_not_held() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Let me check.", "Booked.")
    assert b.text == "(start) Let me check."
    b.ok("c1")
    assert b.text == "(start) Let me check. Booked."


def test_what_stands_behind_a_held_unit_waits_too() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Booked.", "Let me see.")
    assert b.text == "(start)"
    b.bad("c1")
    assert b.text == "(start) [Booked.] Let me see."


def test_both_calls_must_be_verified() -> None:
    b = Bench()
    b.start()
    b.call("c1", "c2")
    b.say("Both are booked.")
    b.ok("c1")
    assert b.gate.held == 1
    b.ok("c1")
    assert b.gate.held == 1, "the same call twice is one"
    b.bad("c2")
    assert b.text == "(start) [Both are booked.]"


def test_one_retracted_does_not_wait_for_the_other() -> None:
    b = Bench()
    b.start()
    b.call("c1", "c2")
    b.say("Both are booked.")
    b.bad("c1")
    assert b.text == "(start) [Both are booked.]"


def test_said_before_the_call_was_known_then_retracted() -> None:
    b = Bench()
    b.start()
    b.say("Booked.", "Anything else?")
    b.call("c1")
    b.end()
    b.bad("c1")
    b.start()
    b.say("It is full.", "Sorry.")
    assert b.text == (
        "(start) Booked. Anything else? (end) !Booked. (start) *Not so. It is full. Sorry."
    )


def test_policy_speak_speaks_and_takes_back() -> None:
    b = Bench(policy="speak")
    b.start()
    b.call("c1")
    b.say("Booked.")
    assert b.text == "(start) Booked."
    b.bad("c1")
    b.say("And paid.")
    b.end()
    b.start()
    b.say("One moment.", "It is full.")
    assert b.text == (
        "(start) Booked. !Booked. [And paid.] (end) (start) One moment. *Not so. It is full."
    )


def test_what_was_cut_unheard_is_not_corrected() -> None:
    for heard, correction in (("", ""), ("Your", ""), ("Your table", "*Not so. ")):
        b = Bench(policy="speak")
        b.start()
        b.call("c1")
        b.say("Your table is booked.")
        b.gate.heard(heard)
        b.bad("c1", "cancelled")
        b.do(b.gate.interrupted())
        b.start()
        b.say("Yes?")
        assert b.text == (
            f"(start) Your table is booked. !Your table is booked. (start) {correction}Yes?"
        )


def test_heard_words_count_for_their_own_unit() -> None:
    b = Bench(policy="speak")
    b.start()
    b.call("c1")
    b.say("Let me check.", "Your table is booked.")
    for piece in ("Hello ", "Let me ", "check. ", "Your "):
        b.gate.heard(piece)
    b.do(b.gate.interrupted())
    b.bad("c1")
    assert "!" not in b.text


def test_an_interruption_drops_what_is_held_and_keeps_what_must_be_kept() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Booked.")
    b.end()
    b.do(b.gate.passage("call", keep=True))
    b.do(b.gate.interrupted())
    b.do(b.gate.interrupted())
    b.ok("c1")
    b.wait(60)
    assert b.text == "(start) (call)"
    assert b.gate.deadline is None


def test_the_end_drops_what_is_pending() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.say("Booked.", "Let me see.")
    b.end()
    b.do(b.gate.finish())
    assert b.text == "(start) [Booked.] Let me see. (end)"


def test_bound_in_time_drops_with_an_apology_said_once() -> None:
    b = Bench(policy="hold")
    b.start()
    b.call("c1", "c2")
    b.say("Booked.", "Paid.")
    b.wait(7.9)
    assert b.text == "(start)"
    b.wait(0.2)
    assert b.text == "(start) *Not yet. [Booked.] [Paid.]"
    b.say("Done.")
    b.end()
    b.ok("c1")
    b.ok("c2")
    assert b.text == "(start) *Not yet. [Booked.] [Paid.] [Done.] (end)"


def test_bound_in_time_speaks_with_a_hedge_said_once_and_takes_back() -> None:
    b = Bench(policy="hold", at_bound="hedge")
    b.start()
    b.call("c1")
    b.say("Booked.", "Paid.")
    b.wait(9)
    b.bad("c1")
    b.start()
    b.say("Full.")
    assert b.text == "(start) *Unchecked. Booked. Paid. !Booked. !Paid. (start) *Not so. Full."


def test_bound_in_number() -> None:
    b = Bench(max_units=2)
    b.start()
    b.call("c1")
    b.say("One.", "Two.")
    assert b.gate.held == 2
    b.say("Three.")
    assert b.text == "(start) *Not yet. [One.] [Two.] [Three.]"


def test_a_call_that_outlasts_its_reply_holds_later_ones_until_the_bound() -> None:
    b = Bench(policy="hold")
    b.start()
    b.call("c1")
    b.gate.call_outlasts("c1")
    b.end()
    b.start()
    b.say("Booked.")
    assert b.gate.held == 1
    b.ok("c1")
    b.end()
    assert b.text == "(start) (end) (start) Booked. (end)"
    b.call("c2")
    b.gate.call_outlasts("c2")
    b.start()
    b.say("Paid.")
    b.wait(9)
    b.end()
    b.start()
    b.say("Shall we go on?")
    assert b.text.endswith("(start) *Not yet. [Paid.] (end) (start) Shall we go on?")


MARKED = [
    # what follows the marked unit, what is spoken
    (["call book", "end", "ok"], "Sure. Booked. (end)"),
    (["call book", "end", "bad"], "Sure. [Booked.] (end)"),
    (["call other", "end", "ok"], "Sure. Booked. (end)"),  # the name was wrong
    (["end"], "Sure. *Not yet. [Booked.] (end)"),  # nothing will ever verify it
    (["call book", "ok", "end"], "Sure. Booked. (end)"),
    (["cut", "call book", "ok"], "Sure."),
    (["wait"], "Sure. *Not yet. [Booked.]"),
]


@pytest.mark.parametrize(("script", "expected"), MARKED)
@pytest.mark.parametrize("evidence", [True, False])
@pytest.mark.parametrize("name", ["book", ""])
def test_marked_words(script: list[str], expected: str, evidence: bool, name: str) -> None:
    b = Bench(policy="hold")
    b.start()
    b.say("Sure.")
    b.say("Booked.", names=(name,))
    for step in script:
        match step.split():
            case ["call", tool]:
                b.call("c1", tool=tool, evidence=evidence)
            case ["end"]:
                b.end()
            case ["ok"]:
                b.ok("c1")
            case ["bad"]:
                b.bad("c1")
            case ["cut"]:
                b.do(b.gate.interrupted())
            case ["wait"]:
                b.wait(9)
    assert b.text == f"(start) {expected}"


def test_a_marker_around_what_is_known_already_holds_nothing_beyond_the_reply() -> None:
    b = Bench()
    b.start()
    b.call("c1")
    b.end()
    b.bad("c1")
    b.start()
    b.say("I could not book it.", names=("book",))
    b.end()
    assert b.text == "(start) (end) (start) I could not book it. (end)"


class Walk:
    """Any order of events: whatever comes, the promises hold."""

    def __init__(self, policy: str, at_bound: str) -> None:
        self.bench = Bench(policy=policy, at_bound=at_bound, max_units=3)
        self.said = 0

    def step(self, what: str, which: int) -> None:
        b = self.bench
        match what:
            case "start":
                b.start()
            case "unit":
                self.said += 1
                b.say(f"Unit number {self.said}.", names=[(), ("a",), ("",)][which % 3])
            case "call":
                b.call(f"c{which}", tool="ab"[which % 2], evidence=which < 3)
            case "lasts":
                b.gate.call_outlasts(f"c{which}")
            case "ok":
                b.ok(f"c{which}")
            case "bad":
                b.bad(f"c{which}")
            case "end":
                b.end()
            case "cut":
                b.do(b.gate.interrupted())
            case "wait":
                b.wait(which * 2.5)
            case "sounds":
                (b.gate.bot_started if which % 2 else b.gate.bot_stopped)()


STEPS = ["start", "unit", "unit", "unit", "call", "lasts"]
STEPS += ["ok", "bad", "end", "cut", "wait", "sounds"]


@given(
    st.sampled_from(["speak", "hold", "hold_with_preamble"]),
    st.sampled_from(["drop", "hedge"]),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 4)), max_size=40),
)
@settings(max_examples=150, deadline=None)
def test_order_bounds_and_nothing_twice(
    policy: str, at_bound: str, steps: list[tuple[str, int]]
) -> None:
    walk = Walk(policy, at_bound)
    for what, which in steps:
        walk.step(what, which)
        assert walk.bench.gate.held <= (0 if policy == "speak" else 3)
    walk.bench.wait(9)
    assert walk.bench.gate.held == 0
    units = [text.strip("[].") for text in walk.bench.log if text.startswith(("Unit", "[Unit"))]
    numbers = [int(unit.split()[-1]) for unit in units]
    assert numbers == sorted(set(numbers)), "in order, and each once"
    if "cut" not in (what for what, _ in steps):
        assert len(numbers) == walk.said, "nothing is lost"
