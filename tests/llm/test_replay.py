"""A recorded stream plays back word for word, in its own time, and says when it has run out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.schema import Settings
from bot.llm.endpoint import LlmEndpoint
from bot.llm.record import record_prompts
from bot.llm.recording import (
    RecordedCall,
    Recorder,
    Reply,
    parse_reply,
    read_replies,
    write_replies,
)
from bot.llm.replay import ReplayServer
from speech.errors import EarshotError, UsageError
from tests.llm.bench import DEADLINE_S, bench, settings
from tests.llm.fake_server import FakeOpenAiServer, FakeReply


class NoSecrets:
    def get(self, name: str) -> str | None:
        return None


@asynccontextmanager
async def client(base_url: str) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(
        base_url=base_url, api_key="none", max_retries=0, timeout=DEADLINE_S
    ) as made:
        yield made


def endpoint(server: ReplayServer) -> LlmEndpoint:
    return LlmEndpoint(server.base_url, "recording", "configured", "a recording")


ONE = Reply(((0.01, "The tide"), (0.02, " is high.")))
TWO = Reply(((0.0, "Good night."),))


async def test_replies_come_in_order_and_then_the_user_hears_an_apology() -> None:
    async with ReplayServer([ONE, TWO]) as server, bench(endpoint(server), settings()) as table:
        for _ in range(3):
            await table.ask("And now?")
    assert table.spoken == ["The tide is high.", "Good night.", "Sorry, no."]
    assert "recording_exhausted" in table.errors[0].error


async def test_a_reply_may_wait_for_its_prompt() -> None:
    tide = Reply(ONE.chunks, prompt_contains="the  Tide")
    async with ReplayServer([tide, TWO]) as server, bench(endpoint(server), settings()) as table:
        await table.ask("Good night!")
        await table.ask("What does the tide do?")
    assert table.spoken == ["Good night.", "The tide is high."]


async def test_pieces_are_not_sent_before_their_time() -> None:
    slow = Reply(((0.2, "One"), (0.5, " two.")))
    loop = asyncio.get_running_loop()
    async with ReplayServer([slow]) as server, client(server.base_url) as sdk:
        asked = loop.time()
        stream = await sdk.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], stream=True
        )
        came = [loop.time() - asked async for chunk in stream if chunk.choices[0].delta.content]
    assert [at >= due for at, due in zip(came, (0.2, 0.5), strict=True)] == [True, True]


async def test_tool_calls_are_replayed() -> None:
    calls = (RecordedCall("a", {"x": 1}, 0.01), RecordedCall("b", {}, 0.02))
    async with ReplayServer([Reply(tool_calls=calls)]) as server, client(server.base_url) as sdk:
        answer = await sdk.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}]
        )
    got = answer.choices[0].message.tool_calls or []
    assert [(c.function.name, c.function.arguments) for c in got if c.type == "function"] == [
        ("a", '{"x": 1}'),
        ("b", "{}"),
    ]
    assert len({call.id for call in got}) == 2


@pytest.mark.models
async def test_a_stream_recorded_from_the_embedded_model_is_replayed_word_for_word(
    embedded_settings: Settings, tmp_path: Path
) -> None:
    path = tmp_path / "replies.jsonl"
    prompts = ["What is a tide?", "And a river?"]
    said: list[str] = []
    recorded = await record_prompts(
        embedded_settings, NoSecrets(), prompts, path, notify=said.append
    )
    assert all(len(reply.chunks) > 1 for reply in recorded)
    assert all(0 < reply.chunks[0][0] < reply.chunks[-1][0] for reply in recorded)
    async with ReplayServer(path) as server, client(server.base_url) as sdk:
        again = Recorder(sdk, "recording", "Be brief.")
        texts = [(await again.ask(prompt)).text for prompt in prompts]
    assert texts == [reply.text for reply in recorded]


async def test_recording_a_model_that_refuses_is_one_line(tmp_path: Path) -> None:
    async with FakeOpenAiServer(FakeReply(status=401)) as server:
        config = settings(base_url=server.base_url, model="m")
        with pytest.raises(EarshotError, match="refused the key"):
            await record_prompts(
                config, NoSecrets(), ["Hi"], tmp_path / "r.jsonl", notify=lambda _: None
            )


times = st.lists(st.floats(0, 60), min_size=1, max_size=5).map(
    lambda values: [round(value, 4) for value in sorted(values)]
)
replies = st.builds(
    lambda at, texts, contains: Reply(
        tuple(zip(at, texts, strict=False)), prompt_contains=contains or None
    ),
    times,
    st.lists(st.text(), min_size=5, max_size=5),
    st.none() | st.text(min_size=1),
)


@given(replies)
def test_a_line_reads_back_as_it_was(reply: Reply) -> None:
    line = reply.to_json()
    assert "\n" not in line
    assert parse_reply(json.loads(line)) == reply


def test_a_file_reads_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    call = RecordedCall("f", {"é": [1]}, 0.5)
    written = [ONE, Reply(((0.1, "«\u2028»"),), (call,), "tide", "The tide?", "m")]
    write_replies(path, written)
    assert read_replies(path) == written


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "holds no replies"),
        ("\n", "holds no replies"),
        ("{", "line 1"),
        ("[]", "line 1"),
        ('{"chunks": []}', "neither chunks nor tool_calls"),
        ('{"chunks": [[0, "a"]]}\n{"chunk": []}', "line 2: not a recorded reply: unknown field"),
        ('{"chunks": [["soon", "a"]]}', "line 1"),
        ('{"chunks": [[2, "a"], [1, "b"]]}', "backwards"),
        ('{"chunks": ["a"]}', "line 1"),
        ('{"tool_calls": [{"arguments": {}}]}', "line 1"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match=said) as caught:
        ReplayServer(path)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        ReplayServer(tmp_path / "none.jsonl")
