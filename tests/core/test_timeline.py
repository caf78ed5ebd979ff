"""A timeline keeps every mark in order of time, bounded, whoever marks it."""

from __future__ import annotations

import json
import threading

import pytest

from speech.timeline import Timeline


def test_marks_use_the_injected_clock_and_sort_by_time() -> None:
    now = iter([5.0, 6.0])
    timeline = Timeline(clock=lambda: next(now))
    timeline.mark("llm_request")
    timeline.mark("stt_final", at=1.0)
    timeline.mark("llm_first_token", reply_id="r1")
    assert [(e.name, e.at) for e in timeline.events] == [
        ("stt_final", 1.0),
        ("llm_request", 5.0),
        ("llm_first_token", 6.0),
    ]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'first_sound' is not a timeline name"):
        Timeline().mark("first_sound")


def test_beyond_the_bound_the_oldest_go_and_are_counted() -> None:
    timeline = Timeline(max_events=3)
    for at in range(5):
        timeline.mark("note", at=float(at))
    assert [e.at for e in timeline.events] == [2.0, 3.0, 4.0]
    assert timeline.dropped == 2


def test_listeners_hear_marks_until_they_leave() -> None:
    timeline, heard = Timeline(), []
    leave = timeline.subscribe(lambda event: heard.append(event.name))
    timeline.mark("bot_started")
    leave()
    timeline.mark("bot_stopped")
    assert heard == ["bot_started"]


def test_a_line_of_json_counts_from_the_origin() -> None:
    event = Timeline().mark("user_text", at=12.5, reply_id="r", text="Grüße")
    assert json.loads(event.to_json(origin=10.0)) == {
        "name": "user_text", "at": 2.5, "reply_id": "r", "text": "Grüße",
    }  # fmt: skip


def test_marks_from_many_threads_are_all_kept() -> None:
    timeline = Timeline()
    threads = [
        threading.Thread(target=lambda: [timeline.mark("note") for _ in range(200)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(timeline.events) == 1600
