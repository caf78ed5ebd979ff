"""Guards: whatever happens in whatever order, no duck without an end and no life after a cut."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Decision
from speech.barge_in.events import Ended, Event, Key, Kind, Playing, Reply, Stop, Voice, Words
from speech.barge_in.rules import Strategy, always_let_speak, natural, never, push_to_talk
from tests.barge_in.bench import Bench

STEP_MS = st.sampled_from([0, 5, 20, 20, 20, 60, 200, 200, 700, 1600])
IDS = st.sampled_from(["R1", "R2", "R3"])
TEXTS = st.sampled_from(
    ["", "yeah", "stop", "and the price", "our shop opens at nine", "um", "[cough]", "price"]
)
MOSTLY = st.sampled_from([True, True, True, False])
KINDS = st.sampled_from([Kind.ANSWER, Kind.ANSWER, Kind.FILLER, Kind.GREETING, Kind.NOTICE])
Maker = Callable[[float], Event]
SceneSteps = list[tuple[int, Maker]]
SPOKEN = st.sampled_from(["Our shop opens at nine.", "Shall I book it?", ""])


def voiced(speech: float, echo: float) -> Maker:
    return lambda at: Voice(at, speech, echo)


VOICE = st.builds(voiced, st.sampled_from([0.0, 0.5, 0.9, 0.9, 1.0]), st.sampled_from([0, 0, 0.9]))
RARE = st.one_of(
    st.builds(lambda i, k, u: lambda at: Reply(at, i, k, u), IDS, KINDS, MOSTLY),
    st.builds(lambda i, t, u: lambda at: Playing(at, i, t, u), IDS, SPOKEN, MOSTLY),
    st.builds(lambda i, lost: lambda at: Ended(at, i, lost), IDS, st.booleans()),
    st.builds(lambda d: lambda at: Key(at, d), st.booleans()),
    st.builds(lambda last: lambda at: Stop(at, last), st.sampled_from([False, False, False, True])),
)
WORDS = st.builds(lambda t, f: lambda at: Words(at, t, f), TEXTS, st.booleans())
MAKERS = st.integers(0, 11).flatmap(lambda n: RARE if n == 0 else WORDS if n == 1 else VOICE)
OPENING = st.sampled_from(["R1", "R2"]).map(lambda i: (0, lambda at: Playing(at, i, "Hello.")))
SCENES = st.builds(
    lambda first, rest: [first, *rest],
    OPENING,
    st.lists(st.tuples(STEP_MS, MAKERS), min_size=12, max_size=40),
)
STRATEGIES = [natural, natural, natural, always_let_speak, push_to_talk, never]
CONFIGS = [BargeInConfig(), BargeInConfig(protect_s=0), BargeInConfig(protect_s=0, onset_s=0)]


class Scene:
    """Runs a scene; ``taken`` pairs each decision with the event behind it (None: a tick)."""

    def __init__(self, strategy: Strategy, config: BargeInConfig) -> None:
        self.bench = Bench(config, strategy)
        self.held: dict[str, bool] = {}
        self.unit_held: dict[str, bool] = {}

    def run(self, scene: SceneSteps) -> list[Decision]:
        at = 0.0
        for step, make in scene:
            at += step / 1000
            self.step(make(at))
        self.bench.settle()
        return self.bench.log

    def step(self, event: Event) -> None:
        before = len(self.bench.log)
        self.bench.tick_before(event.at)
        self.check_held(before, None)
        before = len(self.bench.log)
        self.note(event)
        self.bench.take(event)
        self.check_held(before, event)

    def note(self, event: Event) -> None:
        if isinstance(event, Reply) and not self.bench.policy.replies.is_dead(event.reply_id):
            self.held[event.reply_id] = not event.interruptible
        if isinstance(event, Playing) and not self.bench.policy.replies.is_dead(event.reply_id):
            self.unit_held[event.reply_id] = not event.interruptible
        if isinstance(event, Ended):
            self.held.pop(event.reply_id, None)
            self.unit_held.pop(event.reply_id, None)

    def check_held(self, before: int, event: Event | None) -> None:
        for decision in self.bench.log[before:]:
            if decision.action in (Action.DUCK, Action.CUT) and not isinstance(event, Stop):
                assert not self.held.get(decision.reply_id or "")
                assert not self.unit_held.get(decision.reply_id or "")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(STRATEGIES), st.sampled_from(CONFIGS), SCENES)
def test_promises(
    strategy: Callable[[BargeInConfig], Strategy], config: BargeInConfig, scene: SceneSteps
) -> None:
    ran = Scene(strategy(config), config)
    log = ran.run(scene)
    assert ran.bench.policy.ducked is None, "ducked for ever"
    assert [d.at for d in log] == sorted(d.at for d in log)
    dead: set[str | None] = set()
    ducked: Decision | None = None
    for decision in log:
        if decision.action is Action.ASK_AGAIN:
            continue
        if decision.action is not Action.IGNORE:
            assert decision.reply_id not in dead, "life after a cut"
        if decision.action is Action.CUT:
            dead.add(decision.reply_id)
        if decision.action is Action.DUCK:
            assert ducked is None, "ducked twice"
            ducked = decision
        elif ducked and decision.action is not Action.IGNORE:
            assert decision.at - ducked.at <= config.window_s + 1e-5, "window overrun"
            if decision.reply_id == ducked.reply_id:
                ducked = None
        elif decision.action is Action.RESUME:
            raise AssertionError("resumed what was not ducked")
    assert ducked is None


@settings(max_examples=60, deadline=None)
@given(scene=SCENES)
def test_asks_again_at_most_once_between_real_words(scene: SceneSteps) -> None:
    scene = [
        (step, make)
        for step, make in scene
        if not isinstance(event := make(0.0), Words) or event.text in ("", "[cough]")
    ]
    log = Scene(natural(BargeInConfig(protect_s=0)), BargeInConfig(protect_s=0)).run(scene)
    assert sum(d.action is Action.ASK_AGAIN for d in log) <= 1


@settings(max_examples=60, deadline=None)
@given(scene=SCENES)
def test_a_late_tick_loses_nothing(scene: SceneSteps) -> None:
    """What was due is decided, in order, with the next event at the latest."""
    config = BargeInConfig(protect_s=0)
    on_time, late = Bench(config), Bench(config)
    at = 0.0
    for step, make in scene:
        at += step / 1000
        on_time.take(make(at))
        late.log += late.policy.take(make(at))
    assert [(d.action, d.reply_id, d.why) for d in late.log] == [
        (d.action, d.reply_id, d.why) for d in on_time.log
    ]
