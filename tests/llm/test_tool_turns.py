"""A turn with a tool call ends in words, runs the tool once, and repeats nothing."""

from __future__ import annotations

import json

import pytest

from bot.llm.rounds import MAX_TOOL_ROUNDS
from bot.tools import Tool, ToolContext
from tests.llm.bench import bench
from tests.llm.fake_server import FakeOpenAiServer, FakeReply, call, finish, says, text


class Steps:
    """Tools that note when they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        context = ToolContext(say=self._say)

        async def next_step() -> str:
            """Go on."""
            self.ran.append("next_step")
            return "ok"

        async def stock(symbol: str) -> str:
            """The price of a share."""
            self.ran.append(symbol)
            return "12"

        self.tools = [Tool(next_step, context), Tool(stock, context)]

    async def _say(self, _text: str) -> None:
        raise AssertionError("no tool here speaks")


def calling(*events: object) -> FakeReply:
    return FakeReply([*events, finish("tool_calls")])  # type: ignore[list-item]


async def test_f04_blank_text_with_a_tool_call_runs_the_tool_and_is_not_spoken() -> None:
    steps = Steps()
    first = calling(text("  \n"), call("next_step", "{}"))
    async with (
        FakeOpenAiServer(first, says("There.")) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=2)
    assert steps.ran == ["next_step"]
    assert table.spoken == ["There."]
    assert len(server.requests) == 2


@pytest.mark.parametrize("voice_latency_s", [0.6, 0.0])
async def test_f07_the_second_request_holds_the_lead_in_with_the_call(
    voice_latency_s: float,
) -> None:
    steps = Steps()
    first = calling(text("Let me check that."), call("stock", '{"symbol": "X"}'))
    async with (
        FakeOpenAiServer(first, says("It is twelve.")) as server,
        bench(server, tools=steps.tools, voice_latency_s=voice_latency_s) as table,
    ):
        await table.ask(replies=2)
    second = server.requests[1]["messages"]
    at = next(i for i, message in enumerate(second) if message.get("tool_calls"))
    said = [message.get("content") for message in second[: at + 1]]
    assert said.count("Let me check that.") == 1
    assert [message.get("content") for message in second].count("Let me check that.") == 1
    assert "".join(table.spoken).count("Let me check that.") == 1
    assert "12" in str([message for message in second if message["role"] == "tool"])


async def test_arguments_that_are_not_json_give_the_model_an_error_and_the_user_words() -> None:
    steps = Steps()
    first = calling(call("stock", '{"symbol": '))
    async with (
        FakeOpenAiServer(first, says("Which share?")) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=2)
    assert steps.ran == []
    assert table.spoken == ["Which share?"]
    assert "not a JSON object" in json.dumps(server.requests[1]["messages"])


async def test_a_tool_that_does_not_exist_is_answered_too() -> None:
    first = calling(call("fly", "{}"))
    async with (
        FakeOpenAiServer(first, says("I cannot fly.")) as server,
        bench(server, tools=Steps().tools) as table,
    ):
        await table.ask(replies=2)
    assert table.spoken == ["I cannot fly."]


async def test_two_calls_in_one_chunk_or_with_one_index_both_run() -> None:
    steps = Steps()
    both = {
        "choices": [
            {
                "index": 0,
                "delta": {
                    "tool_calls": [
                        {"index": i, "id": f"c{i}", "function": {"name": "stock", "arguments": a}}
                        for i, a in enumerate(('{"symbol": "A"}', '{"symbol": "B"}'))
                    ]
                },
            }
        ]
    }
    same_index = [
        call("stock", '{"symbol": "C"}', 0, "x"),
        call("stock", '{"symbol": "D"}', 0, "y"),
    ]
    async with (
        FakeOpenAiServer(calling(both, *same_index), says("Four.")) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=2)
    assert sorted(steps.ran) == ["A", "B", "C", "D"]
    assert table.spoken == ["Four."]


REFUSALS = {
    "tools": [
        {"message": "gemma:2b does not support tools", "type": "api_error", "param": None},
        {"message": "Tool calling is not supported", "code": None},
    ],
    "temperature": [{"message": "Unsupported value", "param": "temperature"}],
}


@pytest.mark.parametrize(
    ("parameter", "error"), [(key, error) for key, errors in REFUSALS.items() for error in errors]
)
async def test_a_parameter_the_model_does_not_take_is_left_out_from_then_on(
    parameter: str, error: dict[str, object]
) -> None:
    refusal = FakeReply(status=400, error=error)
    async with (
        FakeOpenAiServer(refusal, says("Hello."), says("Still here.")) as server,
        bench(server, tools=Steps().tools) as table,
    ):
        await table.ask()
        await table.ask()
    assert table.spoken == ["Hello.", "Still here."]
    assert [parameter in request for request in server.requests] == [True, False, False]
    assert table.errors == []


async def test_a_model_that_calls_tools_for_ever_is_made_to_answer() -> None:
    steps = Steps()
    again = calling(call("next_step", "{}"))
    async with (
        FakeOpenAiServer(
            *[again] * MAX_TOOL_ROUNDS, says("Enough."), again, says("Two.")
        ) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=MAX_TOOL_ROUNDS + 1)
        await table.ask(replies=2)
    assert len(steps.ran) == MAX_TOOL_ROUNDS + 1
    assert table.spoken == ["Enough.", "Two."]
    assert ["tools" in request for request in server.requests] == (
        [True] * MAX_TOOL_ROUNDS + [False, True, True]
    )


async def test_a_model_that_calls_tools_it_was_not_offered_ends_in_an_apology() -> None:
    steps = Steps()
    async with (
        FakeOpenAiServer(calling(call("next_step", "{}"))) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=MAX_TOOL_ROUNDS + 1)
    assert len(steps.ran) == MAX_TOOL_ROUNDS
    assert table.spoken == ["Sorry, no."]


async def test_calls_that_are_done_at_once_are_answered_once() -> None:
    wrong = [call(name, "{}", i, f"c{i}") for i, name in enumerate(("fly", "stock", "swim"))]
    async with (
        FakeOpenAiServer(calling(*wrong), says("I cannot.")) as server,
        bench(server, tools=Steps().tools) as table,
    ):
        await table.ask(replies=2)
    assert table.spoken == ["I cannot."]
    assert len(server.requests) == 2


async def test_half_characters_in_arguments_do_not_reach_the_tool() -> None:
    steps = Steps()
    first = calling(
        call("sto\ud83dck", '{"symbol": "', call_id="\ud83d"),
        call(None, "\ud83d", call_id=None),
        call(None, '\ude00"}', call_id=None),
        call("stock", '{"symbol": "\\ud83d"}', 1, "c2"),
    )
    async with (
        FakeOpenAiServer(first, says("Twelve.")) as server,
        bench(server, tools=steps.tools) as table,
    ):
        await table.ask(replies=2)
    assert table.spoken == ["Twelve."]
    assert steps.ran == ["\ufffd"]
    json.dumps(table.messages, ensure_ascii=False).encode()
