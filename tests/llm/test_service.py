"""Whatever the model's server does, the listener hears an answer or an apology, once."""

from __future__ import annotations

import asyncio
import json
import socket
from itertools import pairwise
from typing import Any

import pytest
from loguru import logger
from pipecat.frames.frames import InterruptionFrame
from pipecat.processors.aggregators.llm_context import LLMContext

from bot.error_line import error_line
from bot.llm.endpoint import LlmEndpoint
from tests.llm.bench import DEADLINE_S, bench, settings
from tests.llm.fake_server import (
    EMPTY,
    SILENT,
    Break,
    Event,
    FakeOpenAiServer,
    FakeReply,
    Pause,
    call,
    finish,
    says,
    text,
)

APOLOGY = "Sorry, no."


def answers(messages: list[dict[str, object]]) -> list[object]:
    return [message.get("content") for message in messages if message["role"] == "assistant"]


async def test_an_answer_is_spoken_and_recorded() -> None:
    async with FakeOpenAiServer(says("Hi", " there.")) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Hi there."]
    assert answers(table.messages) == ["Hi there."]
    assert table.errors == []
    request = server.requests[0]
    assert request["stream"] is True
    assert request["max_tokens"] == 256
    assert "max_completion_tokens" not in request
    system = {
        "role": "system",
        "content": settings().bot.system_prompt.replace("{name}", "Earshot"),
    }
    assert request["messages"] == [system, {"role": "user", "content": "Hello?"}]
    assert [message["role"] for message in table.messages] == ["user", "assistant"]


async def test_f01_a_stall_before_words_is_retried() -> None:
    stalled = FakeReply([text("", role="assistant"), Pause(30)])
    async with (
        FakeOpenAiServer(stalled, says("Yes.")) as server,
        bench(server, settings(first_token_timeout_s=1.5)) as table,
    ):
        await table.ask()
    assert table.spoken == ["Yes."]
    assert len(server.requests) == 2


async def test_f01_a_stall_in_mid_sentence_ends_with_an_apology_and_no_word_twice() -> None:
    stalled = FakeReply([text("Sorry, did you"), text(" mean"), Pause(9)])
    async with (
        FakeOpenAiServer(stalled) as server,
        bench(server, settings(stall_timeout_s=0.4)) as table,
    ):
        await table.ask()
    assert table.spoken == ["Sorry, did you mean... Sorry, no."]
    assert len(server.requests) == 1
    assert ["stalled" in error.error for error in table.errors] == [True]


async def test_keep_alives_do_not_put_off_the_stall() -> None:
    ticking = [event for _ in range(100) for event in (text(""), Pause(0.05))]
    async with (
        FakeOpenAiServer(FakeReply([text("Well."), *ticking])) as server,
        bench(server, settings(stall_timeout_s=0.4)) as table,
    ):
        await table.ask()
    assert table.spoken == ["Well. Sorry, no."]


@pytest.mark.parametrize("blank", ["", " ", "\n", "…", "** "])
async def test_blanks_do_not_put_off_the_stall(blank: str) -> None:
    ticking = [event for _ in range(100) for event in (text(blank), Pause(0.05))]
    async with (
        FakeOpenAiServer(FakeReply([text("Well"), *ticking])) as server,
        bench(server, settings(stall_timeout_s=0.4)) as table,
    ):
        await table.ask()
    assert table.spoken[0].startswith("Well")
    assert table.spoken[0].endswith(APOLOGY)


@pytest.mark.parametrize("kind", ["no headers", "no token"])
async def test_a_silent_server_leads_to_one_retry_and_an_apology(kind: str) -> None:
    silent = FakeReply([text("late")], before_headers_s=30) if kind == "no headers" else SILENT
    async with (
        FakeOpenAiServer(silent) as server,
        bench(server, settings(first_token_timeout_s=0.4)) as table,
    ):
        await table.ask()
    assert table.spoken == [APOLOGY]
    assert answers(table.messages) == [APOLOGY]
    assert len(server.requests) == 2
    assert "silent" in table.errors[0].error


async def test_f02_a_short_retry_after_is_honoured() -> None:
    limited = FakeReply(status=429, headers={"Retry-After": "1"})
    async with FakeOpenAiServer(limited, says("Hello.")) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Hello."]
    assert [after - before >= 1.0 for before, after in pairwise(server.times)] == [True]


@pytest.mark.parametrize(
    "headers",
    [{"Retry-After": "60"}, {}, {"Retry-After": "Wed, 21 Oct 2037 07:28:00 GMT"}],
    ids=["long", "none", "date"],
)
async def test_f02_a_long_or_missing_hint_means_an_apology_at_once(headers: dict[str, str]) -> None:
    limited = FakeReply(status=429, headers=headers)
    async with FakeOpenAiServer(limited, says("Hello.")) as server, bench(server) as table:
        await table.ask("What now?")
        assert len(server.requests) == 1
        assert table.spoken == [APOLOGY]
        assert [m["content"] for m in table.messages if m["role"] == "user"] == ["What now?"]
        await table.ask("And now?")
    assert table.spoken == [APOLOGY, "Hello."]
    assert "raw provider text" not in str(table.messages)


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "check A_KEY"), (403, "check A_KEY"), (404, "check llm.model"), (400, "rejected")],
)
async def test_what_a_retry_cannot_mend_is_not_retried(status: int, said: str) -> None:
    async with FakeOpenAiServer(FakeReply(status=status)) as server, bench(server) as table:
        await table.ask()
        await table.ask()
    assert table.spoken == [APOLOGY, APOLOGY]
    assert len(server.requests) == 2
    line = table.errors[0].error
    assert said in line
    assert server.base_url in line
    assert "\n" not in line


async def test_the_key_and_the_providers_prose_stay_out_of_the_log() -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, level="TRACE")
    leak = {"message": "Incorrect API key provided: sk-secret. You said: my pin is 4711"}
    try:
        async with (
            FakeOpenAiServer(FakeReply(status=401, error=leak)) as server,
            bench(server) as table,
        ):
            await table.ask("my pin is 4711")
    finally:
        logger.remove(sink)
    assert table.spoken == [APOLOGY]
    assert not [line for line in lines if "sk-secret" in line or "4711" in line]


@pytest.mark.parametrize("status", [500, 503])
async def test_a_server_error_is_retried(status: int) -> None:
    async with (
        FakeOpenAiServer(FakeReply(status=status), says("Fine.")) as server,
        bench(server) as table,
    ):
        await table.ask()
    assert table.spoken == ["Fine."]


SENSELESS = {
    "delta": {"choices": [{"delta": "x"}]},
    "choice": {"choices": ["x"]},
    "content": {"choices": [{"delta": {"content": 5}}]},
    "arguments": call("f", {"x": 1}),  # type: ignore[arg-type]
    "none": {},
    "null": None,
    "number": "data: 5",
    "text": 'data: "x"',
    "list": "data: [1]",
    "not JSON": "data: {",
}


@pytest.mark.parametrize("chunk", SENSELESS.values(), ids=SENSELESS)
async def test_a_stream_that_makes_no_sense_is_asked_again(chunk: Event) -> None:
    senseless = FakeReply([chunk])
    async with (
        FakeOpenAiServer(senseless, says("Yes."), senseless) as server,
        bench(server) as table,
    ):
        await table.ask()
        await table.ask()
    assert table.spoken == ["Yes.", APOLOGY]
    assert [error.error.count("\n") for error in table.errors] == [0]


async def test_null_among_good_chunks_is_passed_by() -> None:
    good = FakeReply([None, text("Hi"), None, text(" there."), finish()])
    async with FakeOpenAiServer(good) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Hi there."]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("pieces", "spoken"),
    [
        (("Hi \ud83d", "\ude00 there."), "Hi 😀 there."),
        (("Hi \ud83d", " there."), "Hi \ufffd there."),
        (("Hi \ude00\x07 there.",), "Hi \ufffd there."),
        (("Hi there.\ud83d",), "Hi there."),
    ],
)
async def test_half_characters_do_not_poison_the_context(
    pieces: tuple[str, ...], spoken: str
) -> None:
    async with FakeOpenAiServer(says(*pieces), says("Yes.")) as server, bench(server) as table:
        await table.ask()
        await table.ask()
    assert table.spoken == [spoken, "Yes."]
    json.dumps(table.messages, ensure_ascii=False).encode()


CUT = FakeReply([text("It is")], done=False)


async def test_an_answer_without_its_usual_end_was_cut_short() -> None:
    async with FakeOpenAiServer(says("Yes."), CUT) as server, bench(server) as table:
        await table.ask()
        await table.ask()
    assert table.spoken == ["Yes.", "It is... Sorry, no."]
    assert "broke off" in table.errors[0].error


async def test_a_cut_before_words_is_asked_again() -> None:
    nothing = FakeReply([text("")], done=False)
    async with (
        FakeOpenAiServer(says("Yes."), nothing, says("No.")) as server,
        bench(server) as table,
    ):
        await table.ask()
        await table.ask()
    assert table.spoken == ["Yes.", "No."]
    assert table.errors == []


async def test_a_server_that_never_gives_a_finish_reason_is_taken_as_it_is() -> None:
    async with FakeOpenAiServer(CUT) as server, bench(server) as table:
        await table.ask()
        await table.ask()
    assert table.spoken == ["It is", "It is"]
    assert table.errors == []


async def test_an_error_event_in_the_stream_is_retried() -> None:
    broken = FakeReply([{"error": {"message": "overloaded", "code": "overloaded"}}])
    async with FakeOpenAiServer(broken, says("Fine.")) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Fine."]


async def test_f03_an_empty_completion_is_asked_again() -> None:
    async with FakeOpenAiServer(EMPTY, says("Sure.")) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Sure."]
    assert answers(table.messages) == ["Sure."]


@pytest.mark.parametrize("nothing", [EMPTY, FakeReply([text(" \n"), finish()]), FakeReply()])
async def test_f03_two_empty_completions_lead_to_the_fallback(nothing: FakeReply) -> None:
    async with FakeOpenAiServer(nothing) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == [APOLOGY]
    assert len(server.requests) == 2
    assert answers(table.messages) == [APOLOGY]


async def test_f06_chunks_without_choices_are_no_trouble_and_usage_is_recorded() -> None:
    events = [
        {"choices": []},
        {"choices": [{"delta": {"content": "Hi"}}]},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": [{"delta": {}}]},
        {"choices": [{"delta": {"content": " there."}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"total_tokens": 5}},
    ]
    async with FakeOpenAiServer(FakeReply(events)) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Hi there."]
    assert table.voice.usage == [5]
    assert table.errors == []


async def test_a_server_that_never_ends_its_stream_costs_no_silence() -> None:
    held = FakeReply([text("Done."), finish(), Pause(30)])
    async with FakeOpenAiServer(held) as server, bench(server) as table:
        await table.ask()
        async with asyncio.timeout(DEADLINE_S):
            await server.disconnected.wait()
    assert table.spoken == ["Done."]
    assert table.errors == []


async def test_connection_refused_is_an_apology_and_recovers() -> None:
    with socket.socket() as taken:  # bound and not listening: refused, and nobody else's
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with bench(LlmEndpoint(url, "fake", "configured", "a fake")) as table:
            await table.ask()
    assert table.spoken == [APOLOGY]
    assert "is the server running?" in table.errors[0].error


@pytest.mark.parametrize(
    ("before", "spoken", "requests"),
    [([], "Back.", 2), ([text("One moment.")], "One moment. Sorry, no.", 1)],
    ids=["before words", "after words"],
)
async def test_a_reset_is_retried_only_before_words(
    before: list[dict[str, object]], spoken: str, requests: int
) -> None:
    broken = FakeReply([*before, Pause(0.05), Break()])
    async with FakeOpenAiServer(broken, says("Back.")) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == [spoken]
    assert len(server.requests) == requests


async def test_an_interruption_closes_the_stream() -> None:
    async with (
        FakeOpenAiServer(FakeReply([text("Once upon"), Pause(30)])) as server,
        bench(server, settings(stall_timeout_s=60)) as table,
    ):
        await table.start("Tell me a story.")
        await table.until(lambda: bool(table.voice.tokens))
        await table.worker.queue_frame(InterruptionFrame())
        async with asyncio.timeout(DEADLINE_S):
            await server.disconnected.wait()
    assert len(server.requests) == 1
    assert APOLOGY not in "".join(table.spoken)


async def test_an_empty_apology_is_not_said() -> None:
    config = settings()
    config = config.model_copy(update={"bot": config.bot.model_copy(update={"apology": ""})})
    async with FakeOpenAiServer(FakeReply(status=401)) as server, bench(server, config) as table:
        await table.ask()
    assert table.spoken == []
    assert answers(table.messages) == []


async def test_the_developer_role_is_only_for_openai() -> None:
    async with FakeOpenAiServer(says("Yes.")) as server, bench(server) as table:
        table.context.add_message({"role": "developer", "content": "Note."})
        await table.ask()
    assert "developer" not in [message["role"] for message in server.requests[0]["messages"]]
    official = LlmEndpoint("https://api.openai.com/v1", "gpt", "openai", "OpenAI", "k")
    assert official.service(settings()).supports_developer_role
    assert "'k'" not in repr(official)


async def test_a_small_context_gets_the_latest_turns() -> None:
    async with FakeOpenAiServer(says("Yes.")) as server:
        endpoint = LlmEndpoint(server.base_url, "m", "embedded", "small", context_tokens=512)
        async with bench(endpoint) as table:
            for turn in range(6):
                await table.ask(f"{turn} " + "word " * 60)
    sent = server.requests[-1]["messages"]
    assert sent[0]["role"] == "system"
    assert sent[-1]["content"].startswith("5 ")
    assert len(sent) < 12


TOO_LONG = [
    {
        "message": "This model's maximum context length is 600 tokens. However, you requested 9",
        "code": "context_length_exceeded",
    },
    {"message": "exceeds", "type": "exceed_context_size_error", "n_ctx": 600},
    {"message": "loaded with context length of only 600 tokens, which is not enough"},
    {"message": "no number", "code": "context_length_exceeded"},
]


@pytest.mark.parametrize("error", TOO_LONG)
async def test_a_context_that_is_full_is_found_out_and_remembered(error: dict[str, object]) -> None:
    full = FakeReply(status=400, error=error)
    fine = [says("Yes.")] * 8
    async with FakeOpenAiServer(*fine, full, says("Still here.")) as server:
        endpoint = LlmEndpoint(server.base_url, "m", "configured", "small")
        async with bench(endpoint) as table:
            for turn in range(10):
                await table.ask(f"{turn} " + "word " * 60)
    assert table.spoken == ["Yes."] * 8 + ["Still here."] * 2
    assert table.errors == []
    long, short, after = (request["messages"] for request in server.requests[8:])
    assert len(short) < len(long) / 1.5
    assert short[0]["role"] == "system"
    assert short[-1]["content"].startswith("8 ")
    assert len(after) <= len(short) + 2
    assert endpoint.context_tokens is not None


async def test_one_turn_that_is_too_long_alone_is_an_apology_that_says_why() -> None:
    full = FakeReply(status=400, error=TOO_LONG[0])
    async with FakeOpenAiServer(full) as server, bench(server) as table:
        await table.ask("word " * 2000)
    assert table.spoken == [APOLOGY]
    assert len(server.requests) == 1
    assert "does not fit the context" in table.errors[0].error


class FakeEmbedded:
    """Stands for the child process: where it is, and whether it was suspected."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.suspected = 0

    async def ready(self) -> str:
        return self.url

    def suspect(self) -> None:
        self.suspected += 1


async def test_an_embedded_server_is_asked_where_it_is_now_and_suspected_when_silent() -> None:
    async with FakeOpenAiServer(says("Here."), SILENT) as server:
        endpoint = LlmEndpoint("http://127.0.0.1:9/v1", "m", "embedded", "a fake")
        fake = FakeEmbedded(server.base_url)
        endpoint.server = fake  # type: ignore[assignment]
        async with bench(endpoint, settings(first_token_timeout_s=1.5)) as table:
            await table.ask()
            assert fake.suspected == 0
            await table.ask()
    assert table.spoken == ["Here.", APOLOGY]
    assert fake.suspected == 2


async def test_half_a_character_in_the_context_does_not_mute_the_bot() -> None:
    async with FakeOpenAiServer(says("Hi.")) as server, bench(server) as table:
        await table.ask("bad \ud800 half\x00")
    assert table.spoken == ["Hi."]
    assert server.requests[0]["messages"][-1]["content"] == "bad \ufffd half"


async def test_a_context_that_cannot_be_sent_leads_to_the_apology() -> None:
    async with FakeOpenAiServer(says("Hi.")) as server, bench(server) as table:
        table.context.add_message(
            await LLMContext.create_file_message(
                type="url", format="application/pdf", file="ftp://secret"
            )
        )
        await table.ask()
    assert table.spoken == [APOLOGY]
    assert server.requests == []
    [error] = table.errors
    assert "secret" not in error.error
    assert "secret" not in error_line(error)


MESSAGE = {"role": "assistant", "content": "This is no stream."}


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
async def test_an_answer_that_comes_whole_is_spoken(kind: str) -> None:
    whole = {"choices": [{"message": MESSAGE}], "usage": {"total_tokens": 5}}
    reply = FakeReply(body=json.dumps(whole), kind=kind.partition(";")[0])
    async with FakeOpenAiServer(reply) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["This is no stream."]
    assert table.errors == []


async def test_a_stream_by_the_wrong_name_is_still_one() -> None:
    body = f"data: {json.dumps(text('Yes.'))}\n\ndata: [DONE]\n\n"
    async with FakeOpenAiServer(FakeReply(body=body)) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["Yes."]


@pytest.mark.parametrize("body", ["{", "null", "[]", '{"choices": [null]}', '{"choices": 5}'])
async def test_a_whole_answer_that_is_none_leads_to_the_apology(body: str) -> None:
    async with FakeOpenAiServer(FakeReply(body=body)) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == [APOLOGY]


async def test_a_web_page_is_told_from_an_answer() -> None:
    page = FakeReply(body="<html>Log in</html>", kind="text/html")
    async with FakeOpenAiServer(page) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == [APOLOGY]
    assert len(server.requests) == 1
    assert "not an OpenAI-compatible API: it answered with a web page" in table.errors[0].error


async def test_a_refusal_is_spoken() -> None:
    refusal = FakeReply([text(None, refusal="I cannot help with that."), finish()])
    async with FakeOpenAiServer(refusal) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == ["I cannot help with that."]


@pytest.mark.parametrize(
    ("odd", "spoken"),
    [
        ({"choices": [None]}, "Still here."),
        ({"choices": "x"}, "Still here."),
        ({"choices": [{"delta": {"content": {"a": 1}}}]}, "Still here."),
        ({"choices": [{"delta": {"tool_calls": [None]}}]}, "Still here."),
        ({"choices": [{"delta": {"tool_calls": [{"index": "a", "id": 5}]}}]}, "Still here."),
        ({"choices": [{"delta": {"tool_calls": 5}}]}, "Still here."),
        (
            {"choices": [{"delta": {"content": [{"type": "text", "text": "Yes. "}]}}]},
            "Yes. Still here.",
        ),
    ],
)
async def test_an_odd_chunk_costs_no_answer(odd: dict[str, Any], spoken: str) -> None:
    reply = FakeReply([odd, text("Still here."), finish()])
    async with FakeOpenAiServer(reply) as server, bench(server) as table:
        await table.ask()
    assert table.spoken == [spoken]
    assert table.errors == []
