"""Guards: in a whole conversation nothing is claimed that a tool has not confirmed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.stage import Stage, stage
from tests.evidence.tools import OFFICE
from tests.llm.fake_server import FakeReply, Pause, call, finish, says, text

TOOLS = ("tests.evidence.tools:book",)


@pytest.fixture(autouse=True)
def office() -> None:
    OFFICE.reset()


def books(*words: str, calls: int = 1, after_s: float = 0.0) -> FakeReply:
    """Words, then calls, which may come when the words have left."""
    asked = [
        call("book", json.dumps({"what": f"table {n}"}), n, f"c{n}") for n in range(1, calls + 1)
    ]
    said = [text(word) for word in words]
    return FakeReply([*said, Pause(after_s), *asked, finish("tool_calls")])


async def asked(s: Stage) -> None:
    """The user has asked, and the tool runs."""
    s.start()
    await s.until_event("bot_stopped")
    await s.hear("Book a table.")
    await s.until(lambda: bool(OFFICE.calls))


def held_words(s: Stage) -> list[str]:
    return [str(e.fields["text"]) for e in s.named("note") if e.fields.get("what") == "withheld"]


def roles(messages: list[Any]) -> list[str]:
    return [m["role"] + ("+call" if m.get("tool_calls") else "") for m in messages]


async def test_hold_then_verify() -> None:
    async with stage(books("Your table is booked."), says("Enjoy it."), tools=TOOLS) as s:
        await asked(s)
        assert "Your table is booked." not in s.engine.spoken
        OFFICE.open.set()
        await s.until(lambda: "Enjoy it." in s.heard)
        assert s.heard == "Hello. Your table is booked. Enjoy it. "
        second = s.server.requests[1]["messages"]
        assert roles(second)[-3:] == ["assistant", "assistant+call", "tool"]
        await s.end()


async def test_hold_then_retract() -> None:
    async with stage(books("Your table is booked."), says("It is full."), tools=TOOLS) as s:
        OFFICE.answers["table 1"] = "no table is free"
        await asked(s)
        OFFICE.open.set()
        await s.until(lambda: "full." in s.heard)
        assert s.heard == "Hello. It is full. "
        assert held_words(s) == ["Your table is booked."]
        second = s.server.requests[1]["messages"]
        assert "Your table is booked" not in str(second), "it was not said"
        assert json.loads(second[-1]["content"]) == {"retracted": "no table is free"}
        await s.end()


@pytest.mark.parametrize("policy", ["speak", "hold"])
async def test_a_claim_that_was_heard_is_taken_back(policy: str) -> None:
    words = ("Your table is booked. ", "Anything else?")
    options = {"evidence": {"policy": policy}}
    reply = books(*words, after_s=0.1)
    async with stage(reply, says("It is full."), tools=TOOLS, **options) as s:
        OFFICE.answers["table 1"] = "no table is free"
        await asked(s)
        await s.until(lambda: "booked." in s.heard)
        OFFICE.open.set()
        await s.until(lambda: "full." in s.heard)
        assert "booked. " in s.heard
        assert s.heard.endswith("Sorry, I have to take that back. It is full. ")
        result = json.loads(s.server.requests[1]["messages"][-1]["content"])
        assert result["retracted"] == "no table is free"
        assert '"Your table is booked." That is not true.' in result["note"]
        await s.end()
        assert "take that back" in str(s.conversation.messages[-2])


async def test_a_preamble_is_spoken_and_is_no_part_of_the_record() -> None:
    options = {"evidence": {"preamble_after_s": 0.1, "preambles": ("One moment.",)}}
    async with stage(books("It is booked."), says("Enjoy."), tools=TOOLS, **options) as s:
        await asked(s)
        await s.until(lambda: "moment." in s.heard)
        OFFICE.open.set()
        await s.until(lambda: "Enjoy." in s.heard)
        assert s.heard == "Hello. One moment. It is booked. Enjoy. "
        assert "moment" not in str(s.conversation.messages) + str(s.server.requests)
        fillers = [e.fields.get("filler") for e in s.named("tts_request")]
        assert fillers == [None, "preamble", None, None]
        await s.end()


@pytest.mark.parametrize(
    "words", [("What a plan. ", "It is booked."), ("What a plan!", " ")], ids=["open", "ended"]
)
async def test_a_preamble_after_words_is_no_part_of_the_record(words: tuple[str, ...]) -> None:
    options = {"evidence": {"preamble_after_s": 0.1, "preambles": ("One moment.",)}}
    async with stage(books(*words, after_s=0.1), says("Enjoy."), tools=TOOLS, **options) as s:
        await asked(s)
        await s.until(lambda: "moment." in s.heard)
        OFFICE.open.set()
        await s.until(lambda: "Enjoy." in s.heard)
        before, after = (" ".join("".join(part).split()) for part in (words[:1], words[1:]))
        said = ["Hello.", before, "One moment.", after, "Enjoy."]
        assert s.heard == " ".join(filter(None, said)) + " "
        assert "moment" not in str(s.conversation.messages) + str(s.server.requests)
        await s.end()


async def test_two_calls_one_verified_one_retracted() -> None:
    reply = books("Both are booked.", calls=2)
    async with stage(reply, says("One is."), tools=TOOLS) as s:
        OFFICE.answers["table 2"] = "taken"
        await asked(s)
        OFFICE.open.set()
        await s.until(lambda: "One is." in s.heard)
        assert s.heard == "Hello. One is. "
        assert OFFICE.calls == ["table 1", "table 2"]
        await s.end()


async def test_at_the_bound_the_claim_is_dropped_with_an_apology() -> None:
    options = {"evidence": {"policy": "hold", "max_wait_s": 0.1, "apology": "Not yet."}}
    async with stage(books("It is booked."), says("Enjoy."), tools=TOOLS, **options) as s:
        await asked(s)
        await s.until(lambda: "yet." in s.heard)
        OFFICE.open.set()
        await s.until(lambda: "Enjoy." in s.heard)
        assert s.heard == "Hello. Not yet. Enjoy. "
        await s.end()


async def test_f07_a_lead_in_is_spoken_once_and_stored_before_its_call() -> None:
    OFFICE.open.set()
    async with stage(books("Let me check that."), says("It is twelve."), tools=TOOLS) as s:
        await asked(s)
        await s.until(lambda: "twelve." in s.heard)
        assert s.engine.spoken.count("Let me check that.") == 1
        assert s.heard == "Hello. Let me check that. It is twelve. "
        second = s.server.requests[1]["messages"]
        at = next(i for i, message in enumerate(second) if message.get("tool_calls"))
        before = [message.get("content") for message in second[: at + 1]]
        assert before.count("Let me check that.") == 1
        assert str(second).count("Let me check that.") == 1
        await s.end()


@pytest.mark.parametrize("cut", [True, False])
async def test_c06_a_tool_of_a_discarded_reply_does_not_run(cut: bool) -> None:
    reply = FakeReply([text("Bye."), Pause(0.1), call("end_call", "{}"), finish("tool_calls")])
    tools = ("tests.evidence.tools:end_call",)
    async with stage(reply, says("On Friday."), tools=tools, bot={"greeting": ""}) as s:
        s.start()
        await s.until_event("session_start")
        await s.hear("Thanks for that")
        await s.until_asked()
        if cut:
            await s.hear("and what about Friday?")
        await s.until(lambda: "Friday." in s.heard)
        assert OFFICE.calls.count("end_call") == (0 if cut else 1)
        assert not s.run.done()
        await s.end()


@pytest.mark.parametrize("goodbye", [True, False])
async def test_the_end_while_words_are_held(goodbye: bool) -> None:
    async with stage(books("It is booked."), tools=TOOLS) as s:
        await asked(s)
        await s.end(goodbye=goodbye)
        assert s.heard == ("Hello. Goodbye. " if goodbye else "Hello. ")


async def test_cancelled_while_words_are_held() -> None:
    async with stage(books("It is booked."), tools=TOOLS) as s:
        await asked(s)
        await s.cancel()
        assert s.heard == "Hello. "


MARKED = '<pending id="book">Your table is booked.</pending> Anything else?'


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("free", [True, False])
async def test_marked_words_are_held_before_their_call_is_known(whole: bool, free: bool) -> None:
    reply = books(*([MARKED] if whole else MARKED), after_s=0.2)
    options = {"evidence": {"markers": True, "policy": "hold"}}
    async with stage(reply, says("Right."), tools=TOOLS, **options) as s:
        OFFICE.answers |= {} if free else {"table 1": "taken"}
        await asked(s)
        assert "booked" not in s.heard
        OFFICE.open.set()
        await s.until(lambda: "Right." in s.heard)
        said = "Your table is booked. Anything else? " if free else ""
        assert s.heard == f"Hello. {said}Right. "
        assert "<pending" in s.server.requests[0]["messages"][0]["content"]
        assert "pending" not in str(s.server.requests[1]["messages"][1:])
        await s.end()


async def test_what_was_dropped_while_the_model_wrote_is_not_in_the_next_request() -> None:
    words = "Well.<pending>It is booked.</pending> Let me look."
    bound = {"markers": True, "policy": "hold", "max_wait_s": 0.05, "apology": "Not yet."}
    reply = books(words, after_s=0.3)
    async with stage(reply, says("Enjoy."), tools=TOOLS, evidence=bound) as s:
        OFFICE.open.set()
        await asked(s)
        await s.until(lambda: "Enjoy." in s.heard)
        assert s.heard == "Hello. Well. Not yet. Let me look. Enjoy. "
        assert "It is booked" not in str(s.server.requests[1]["messages"])
        await s.end()


async def test_an_error_that_a_tool_returns_confirms_nothing() -> None:
    tools = ("tests.evidence.tools:pay",)
    reply = FakeReply([text("It is paid."), call("pay", "{}"), finish("tool_calls")])
    async with stage(reply, says("It is not."), tools=tools) as s:
        s.start()
        await s.hear("Pay.")
        await s.until(lambda: "not." in s.heard)
        assert held_words(s) == ["It is paid."]
        await s.end()
