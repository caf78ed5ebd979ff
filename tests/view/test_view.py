"""Guards: the view of ``talk`` says what the timeline says, from any thread, on any output."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.view.state import Line, ViewState, printable
from bot.view.view import JsonPainter, LivePainter, PlainPainter, View
from bot.view.words import latencies, played
from speech.timeline import EVENTS, STAGES, Timeline, TimelineEvent

Step = str | tuple[str, str] | tuple[str, str, float]


def event(step: Step) -> TimelineEvent:
    """``name``, ``(name, text)`` or ``(name, text, at)``."""
    name, text, at = (step, "", 0.0) if isinstance(step, str) else (*step, 0.0)[:3]
    fields: dict[str, Any] = {"tool": text} if name == "tool_call" else {"text": text}
    return TimelineEvent(name, at, fields=fields if text else {})


def after(*steps: Step) -> ViewState:
    state = ViewState()
    for step in steps:
        state = state.apply(event(step))
    return state


TURN: tuple[Step, ...] = (
    "session_start", "user_started", ("user_text", "Hi."), "user_stopped", "llm_request",
)  # fmt: skip
REPLY: tuple[Step, ...] = (*TURN, ("bot_text", "One two three. "), "bot_started")


@pytest.mark.parametrize(
    ("steps", "mood"),
    [
        ((), "starting"),
        (("session_start",), "listening"),
        (("session_start", "user_started"), "listening"),
        (("session_start", "user_started", "user_stopped"), "listening"),
        (TURN[:4], "thinking"),
        (TURN, "thinking"),
        ((*TURN, "user_started"), "listening"),
        (REPLY, "speaking"),
        ((*REPLY, "bot_stopped"), "listening"),
        ((*REPLY, "user_started", "interrupt", "bot_stopped"), "interrupted"),
        ((*REPLY, "bot_stopped", "user_started", "interrupt"), "listening"),
        ((*REPLY, "interrupt", "user_started", ("user_text", "No."), "user_stopped"), "thinking"),
        ((*REPLY, "interrupt", "user_started", "user_stopped"), "listening"),
        ((*REPLY, "llm_request"), "speaking"),
        ((*REPLY, "session_end"), "ended"),
    ],
)
def test_mood(steps: tuple[Step, ...], mood: str) -> None:
    assert after(*steps).mood == mood


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        ((("user_text", "a"), ("user_text", "b")), [Line("you", "a b", open=True)]),
        ((("user_text", " "), ("bot_text", "")), []),
        ((("bot_text", "a "), ("bot_text", "b")), [Line("bot", "a b", open=True)]),
        ((("bot_text", "a b"), ("heard_text", "a")), [Line("bot", "a b", "a", open=True)]),
        (
            ((("bot_text", "a b"), "bot_started", ("heard_text", "a"), "interrupt")),
            [Line("bot", "a b", "a", cut=True)],
        ),
        (
            (("bot_text", "a"), "bot_stopped", ("bot_text", "b")),
            [Line("bot", "a"), Line("bot", "b", open=True)],
        ),
        (
            (("bot_text", "a"), ("device", "gone"), ("bot_text", "b")),
            [Line("note", "gone"), Line("bot", "a b", open=True)],
        ),
        ((("tool_call", "set_timer"),), [Line("note", "uses set_timer")]),
        ((("error", "no\nanswer\x1b[2J"),), [Line("note", "no answer[2J")]),
        (("error",), []),
        ((("heard_text", "x"),), []),
    ],
)
def test_lines(steps: tuple[Step, ...], lines: list[Line]) -> None:
    assert list(after(*steps).lines) == lines


def test_latencies_count_from_the_end_of_speech() -> None:
    state = after(
        ("scheduled", "", 1.0),
        ("user_speech_end", "", 10.0), ("first_chunk", "", 10.1), ("stt_final", "", 10.4),
        ("llm_request", "", 10.5), ("llm_first_token", "", 10.6), ("llm_first_token", "", 11.0),
        ("first_chunk", "", 11.25), ("scheduled", "", 11.5),
    )  # fmt: skip
    assert latencies(state) == (
        "understood 0.40 s · first word 0.60 s · first sound 1.25 s · at the speaker 1.50 s"
    )
    assert latencies(state.apply(event(("user_speech_end", "", 20.0)))) == ""


def test_memory_is_bounded_and_dropped_lines_are_counted() -> None:
    steps: list[Step] = []
    for number in range(200):
        steps += [("user_text", str(number)), ("bot_text", str(number))]
    state = after(*steps)
    assert state.first_line + len(state.lines) == 400
    assert len(state.lines) == 50


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (Line("bot", "a b c"), ("", "a b c")),
        (Line("bot", "a b c", "a b"), ("a b", "c")),
        (Line("bot", "a", "a b"), ("a", "")),
    ],
)
def test_played(line: Line, parts: tuple[str, str]) -> None:
    assert played(line) == parts


@given(st.text())
def test_printable_text_cannot_drive_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@given(
    st.lists(
        st.tuples(st.sampled_from(STAGES + EVENTS), st.text(max_size=5), st.floats(0, 9)),
        max_size=30,
    )
)
def test_any_order_of_events_is_shown(steps: list[tuple[str, str, float]]) -> None:
    stream = io.StringIO()
    plain, live = PlainPainter(stream), LivePainter(Console(file=stream, force_terminal=True))
    state = ViewState()
    for step in steps:
        before, state = state, state.apply(event(step))
        plain.paint([(before, state, event(step))])
        live.paint([(before, state, event(step))])
    live.close()


def shown(painter_for: Any, steps: tuple[Step, ...]) -> str:
    """What a painter wrote of these steps, through the view and its thread."""
    stream, timeline = io.StringIO(), Timeline()
    view = View(painter_for(stream))
    timeline.subscribe(view.on_event)
    view.start()
    for step in steps:
        made = event(step)
        timeline.mark(made.name, at=made.at, **made.fields)
    view.close(timeout_s=30)
    return stream.getvalue()


CUT: tuple[Step, ...] = (*REPLY, ("heard_text", "One two"), "interrupt", ("device", "mic back"))


def test_pipe_gets_a_line_per_event() -> None:
    assert shown(PlainPainter, CUT).splitlines() == [
        "[listening]", "you: Hi.", "[thinking]", "bot: One two three.", "[speaking]",
        "[interrupted]", "note: mic back",
    ]  # fmt: skip


def test_json_gets_every_event() -> None:
    records = [json.loads(line) for line in shown(JsonPainter, CUT).strip().split("\n")]
    assert [r["name"] for r in records] == [event(step).name for step in CUT]


def test_terminal_shows_turns_state_and_what_was_not_heard() -> None:
    def live(stream: io.StringIO) -> LivePainter:
        return LivePainter(Console(file=stream, force_terminal=True, width=80))

    screen = shown(live, CUT)
    assert "Hi." in screen
    assert "mic back" in screen
    assert "(interrupted)" in screen
    assert "\x1b[2;9mthree." in screen  # dim and struck out
    assert screen.endswith("\x1b[?25h")  # the cursor is back


def test_events_from_many_threads_are_all_counted() -> None:
    stream, timeline = io.StringIO(), Timeline()
    view = View(PlainPainter(stream))
    timeline.subscribe(view.on_event)
    threads = [
        threading.Thread(target=lambda: [timeline.mark("error", text="x") for _ in range(50)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert view.state.first_line + len(view.state.lines) == 200


class FakeStuckTerminal(io.StringIO):
    """A terminal on hold (Ctrl-S): the writer waits until ``released``."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.released = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.reached.set()
        self.released.wait(30)
        return super().write(text)


def test_a_stuck_terminal_holds_nobody() -> None:
    terminal = FakeStuckTerminal()
    view = View(PlainPainter(terminal))
    view.start()
    view.on_event(event("session_start"))
    assert terminal.reached.wait(30)
    view.on_event(event(("user_text", "hello")))
    view.close(timeout_s=0.01)
    terminal.released.set()
    assert view.state.lines[-1].text == "hello"
