"""Guards: in whatever state the user cuts in, the answer to the new words is heard, and only it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot import hearing
from tests.core.voices import Talk, check_messages, fake_vad, talk
from tests.evidence.tools import OFFICE
from tests.llm.fake_server import SILENT, FakeReply, call, finish, says, text

ANSWER = " ".join(f"word{number}" for number in range(20)) + "."
TWO_UNITS = "One two three four five six. Seven eight nine ten eleven twelve."
CALLING = FakeReply([call("wait_for_ever", "{}"), finish("tool_calls")])
LEAD_IN = FakeReply([text("Let me look. "), call("wait_for_ever", "{}"), finish("tool_calls")])
TOOL: dict[str, Any] = {"tools": ("tests.core.waiting_tool:wait_for_ever",)}
CLAIM = FakeReply([text("It is booked."), call("book", "{}"), finish("tool_calls")])
EVIDENCE: dict[str, Any] = {"tools": ("tests.evidence.tools:book",)}
PREAMBLE = EVIDENCE | {"evidence": {"preamble_after_s": 0.1, "preambles": ("One moment, please.",)}}

GREETING: dict[str, Any] = {"bot": {"greeting": ANSWER}}

State = Callable[[Talk], Awaitable[None]]


async def asks(t: Talk) -> None:
    await t.scene.until_event("session_start")
    await t.scene.hear("Go on.")


async def before_the_first_token(t: Talk) -> None:
    await asks(t)
    await t.scene.until_asked()


async def before_the_first_sound(t: Talk) -> None:
    t.scene.engine.gate.clear()
    await asks(t)
    await t.scene.until_event("tts_request")
    asyncio.get_running_loop().call_later(0.3, t.scene.engine.gate.set)


async def in_mid_unit(t: Talk) -> None:
    await asks(t)
    await t.scene.until_event("heard_text", 2)


async def between_units(t: Talk) -> None:
    await asks(t)
    await t.scene.until(lambda: "six." in t.scene.heard)


async def after_the_last_write(t: Talk) -> None:
    await asks(t)
    await t.scene.until(lambda: "eleven" in t.scene.heard)


async def while_a_tool_runs(t: Talk) -> None:
    await asks(t)
    await t.scene.until_event("tool_call")


async def while_the_greeting_plays(t: Talk) -> None:
    await t.scene.until_event("heard_text", 2)


async def while_a_preamble_sounds(t: Talk) -> None:
    await asks(t)
    await t.scene.until(lambda: "One" in t.scene.heard)


STATES: dict[str, tuple[State, FakeReply, dict[str, Any]]] = {
    "before the first token": (before_the_first_token, SILENT, {}),
    "before the first sound": (before_the_first_sound, says(ANSWER), {}),
    "in mid unit": (in_mid_unit, says(ANSWER), {}),
    "between units": (between_units, says(TWO_UNITS), {}),
    "after the last write": (after_the_last_write, says(TWO_UNITS), {}),
    "while a tool runs": (while_a_tool_runs, CALLING, TOOL),
    "while a tool runs behind a lead-in": (while_a_tool_runs, LEAD_IN, TOOL),
    "held by the evidence gate": (while_a_tool_runs, CLAIM, EVIDENCE),
    "while a preamble sounds": (while_a_preamble_sounds, CLAIM, PREAMBLE),
    "while the greeting plays": (while_the_greeting_plays, says("Fine."), GREETING),
}
A_FEW = ("before the first token", "in mid unit", "while a tool runs behind a lead-in")


async def says_stop(t: Talk) -> None:
    await t.utter("Stop.", 0.3)


async def talks_on(t: Talk) -> None:
    await t.utter("Stop.", 1.2)


async def twice(t: Talk) -> None:
    """Cut by words of a remote recogniser, twice in 50 ms."""
    await t.scene.hear("Stop.")
    await asyncio.sleep(0.04)
    await t.scene.hear("Now.")


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    OFFICE.reset()
    monkeypatch.setattr(hearing, "build_vad", fake_vad)


@pytest.mark.parametrize(
    ("cut", "states"),
    [(says_stop, tuple(STATES)), (talks_on, A_FEW), (twice, (*A_FEW, "after the last write"))],
)
async def test_the_new_words_are_answered(cut: State, states: tuple[str, ...]) -> None:
    async with asyncio.TaskGroup() as all_at_once:
        for state in states:
            all_at_once.create_task(cut_in(state, cut), name=state)


async def cut_in(state: str, cut: State) -> None:
    reached, reply, options = STATES[state]
    async with talk(reply, says("Fine."), **({"bot": {"greeting": ""}} | options)) as t:
        try:
            await reached(t)
            await cut(t)
            await t.scene.until(lambda: t.scene.heard.endswith("Fine. "))
            await t.until_free()
            await t.until_kept("Fine.")
            check_cut(t)
            await t.scene.end()
        except Exception as error:
            error.add_note(state)
            raise


def check_cut(t: Talk) -> None:
    assert t.scene.named("interrupt") or "twelve" in t.scene.heard
    assert t.sounded_after_a_cut == []
    assert "Stop." in " ".join(t.said)
    assert t.control._policy.ducked is None
    assert not t.held
    check_messages(t.messages)
    check_messages(t.scene.server.requests[-1]["messages"])
