"""Guards: at the end a conversation says of each queue how full it ever was, and of how much."""

from __future__ import annotations

import pytest

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.llm.endpoint import LlmEndpoint
from bot.parts import Parts
from bot.pipeline import build_lead
from bot.report.view import notes
from processors.written import Written
from speech.queues import Queues
from speech.timeline import Timeline
from tests.backpressure.hall import LEAD_S, NOWHERE, WAITING, FakeTransport, hall
from tests.backpressure.test_stalled_speaker import short
from tests.processors.fake_engine import FakeEngine
from tests.transports.local.fake_backend import FakeBackend
from transports.local import LocalParams, LocalTransport
from transports.local.backend import StreamFormat
from transports.local.input import BUFFER_S

UNUSED = {"held for evidence", "speech for the recogniser", "sound for the voice detector"}


async def test_each_queue_has_its_mark_at_the_end() -> None:
    async with hall(short) as h:
        await h.ask()
        await h.until(lambda: "Fine." in h.heard)
    marks = {e.fields["what"]: e.fields for e in h.timeline.events if e.name == "queue"}
    assert marks["text for the voice"]["bound"] == WAITING
    assert marks["made, not heard"]["bound"] == LEAD_S
    assert {"timeline", "text for the voice", "made, not heard"} | UNUSED <= set(marks)
    for what, fields in marks.items():
        assert fields["policy"]
        assert fields["unit"]
        assert (fields["high_water"] > 0) == (what not in UNUSED)
        assert fields["dropped"] == 0


@pytest.mark.parametrize(
    ("dropped", "said"),
    [(0, "3 of 5 s (the oldest go)"), (1.5, "3 of 5 s; 1.5 s lost (the oldest go)")],
)
def test_the_report_shows_the_mark_and_the_loss(dropped: float, said: str) -> None:
    timeline = Timeline()
    gauge = timeline.queues.watch("ears", unit="s", bound=5, policy="the oldest go")
    gauge.level(3)
    gauge.level(1)
    gauge.drop(dropped)
    timeline.mark_queues()
    events = [{"name": e.name, "at": e.at, **e.fields} for e in timeline.events]
    assert dict(notes(events))["ears"] == said


def test_a_timeline_that_forgot_says_so() -> None:
    timeline = Timeline(max_events=2)
    for _ in range(5):
        timeline.mark("note")
    timeline.mark_queues()
    (use,) = [use for use in timeline.queues.uses() if use.name == "timeline"]
    assert (use.high_water, use.bound, use.dropped) == (2, 2, 4)


def test_a_queue_told_twice_is_shown_once() -> None:
    queues = Queues()
    queues.watch("ears", unit="s", bound=5, policy="").level(3)
    queues.watch("ears", unit="s", bound=5, policy="").level(1)
    assert [use.high_water for use in queues.uses()] == [1]


def test_the_sound_cards_buffers_are_told_in_seconds() -> None:
    timeline, backend = Timeline(), FakeBackend()
    transport = LocalTransport(LocalParams(), timeline, backend=backend)
    uses = {use.name: use for use in timeline.queues.uses()}
    assert uses["microphone"].bound == BUFFER_S
    assert uses["loudspeaker"].bound == 0.08, "two chunks of pipecat's"
    for link in transport._links:
        link.format = StreamFormat(48_000, 1)
    transport.stats.input_high_water_samples = transport.stats.output_lost_samples = 24_000
    uses = {use.name: use for use in timeline.queues.uses()}
    assert uses["microphone"].high_water == 0.5
    assert uses["loudspeaker"].dropped == 0.5


@pytest.mark.parametrize(("streams", "lead_s"), [(True, 5.0), (False, 250 / 17)])
def test_an_engine_that_gives_units_whole_is_given_the_time_for_it(
    streams: bool, lead_s: float
) -> None:
    engine, timeline = FakeEngine(), Timeline()
    engine.streams = streams  # type: ignore[attr-defined]
    endpoint = LlmEndpoint(NOWHERE, "fake", "configured", "")
    parts = Parts(Settings(), Secrets(), engine, None, endpoint)
    build_lead(parts, FakeTransport(), Written(), timeline)
    bounds = {use.name: use.bound for use in timeline.queues.uses()}
    assert bounds["made, not heard"] == pytest.approx(lead_s)
