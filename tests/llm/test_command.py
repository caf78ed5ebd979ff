"""``earshot llm`` says which model answers and records it, for people and for machines."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from bot.llm.record import record_prompts
from bot.llm.recording import read_replies
from speech.errors import EarshotError, UsageError
from tests.llm.bench import DEADLINE_S, settings
from tests.llm.fake_server import FakeOpenAiServer, FakeReply, Pause, says, text
from tests.llm.test_select import NO_SECRETS


async def earshot(*arguments: str, url: str) -> tuple[int | None, str, str]:
    named = (f"--set=llm.base_url={url}", "--set=llm.model=fake")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "llm", *arguments, *named, stdout=-1, stderr=-1
    )
    async with asyncio.timeout(DEADLINE_S * 2):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("no/r.jsonl", "the folder of {0} does not exist; create it first"),
        ("file/r.jsonl", "the folder of {0} does not exist; create it first"),
        ("folder", "cannot write {0}: Is a directory"),
    ],
)
async def test_a_file_that_cannot_be_written_is_said_before_the_model_is_asked(
    tmp_path: Path, file: str, said: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    path = tmp_path / file
    async with FakeOpenAiServer(says("The sea.")) as server:
        named = settings(base_url=server.base_url, model="m")
        with pytest.raises(UsageError) as caught:
            await record_prompts(named, NO_SECRETS, ["One?"], path, notify=print)
        assert server.requests == []
    assert str(caught.value) == said.format(path)


async def test_which() -> None:
    async with FakeOpenAiServer() as server:
        code, out, _ = await earshot("which", "--json", url=server.base_url)
    assert code == 0
    choice = json.loads(out)
    assert (choice["kind"], choice["base_url"], choice["model"]) == (
        "configured",
        server.base_url,
        "fake",
    )


async def test_which_shows_no_password() -> None:
    async with FakeOpenAiServer() as server:
        url = server.base_url.replace("//", "//user:hunter2@")
        _, out, err = await earshot("which", "--json", url=url)
    assert json.loads(out)["base_url"].startswith("http://…@127.0.0.1")
    assert "hunter2" not in out + err


async def test_record(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    async with FakeOpenAiServer(says("The", " sea."), says("A river.")) as server:
        code, out, _ = await earshot(
            "record", "-o", str(path), "One?", "Two?", "--json", url=server.base_url
        )
    assert code == 0
    assert json.loads(out)["texts"] == ["The sea.", "A river."]
    assert [reply.text for reply in read_replies(path)] == ["The sea.", "A river."]
    assert [m["content"] for m in server.requests[1]["messages"][1:]] == [
        "One?",
        "The sea.",
        "Two?",
    ]


GARBAGE = {
    "null": (FakeReply([None]), "empty answer"),
    "no delta": (FakeReply([{"choices": [{"delta": None}]}]), "empty answer"),
    "number": (FakeReply(["data: 5"]), "broke off"),
    "not JSON": (FakeReply(["data: {"]), "broke off"),
    "stall": (FakeReply([text("Well."), Pause(30)]), "stalled in mid-answer"),
    "silent": (FakeReply([Pause(30)]), "silent for longer"),
}


@pytest.mark.parametrize(("reply", "said"), GARBAGE.values(), ids=GARBAGE)
async def test_recording_what_makes_no_sense_is_one_line(
    reply: FakeReply, said: str, tmp_path: Path
) -> None:
    limits = {"stall_timeout_s": 0.3, "first_token_timeout_s": 5.0}
    limits |= {"first_token_timeout_s": 0.5} if said.startswith("silent") else {}
    async with FakeOpenAiServer(reply) as server:
        config = settings(base_url=server.base_url, model="m", **limits)
        with pytest.raises(EarshotError, match=said) as caught:
            await record_prompts(
                config, NO_SECRETS, ["Hi"], tmp_path / "r.jsonl", notify=lambda _: None
            )
    assert "\n" not in str(caught.value)


async def test_a_model_that_refuses_is_one_line_and_status_1(tmp_path: Path) -> None:
    async with FakeOpenAiServer(FakeReply(status=401)) as server:
        path = str(tmp_path / "r.jsonl")
        code, out, err = await earshot("record", "-o", path, "One?", url=server.base_url)
    assert (code, out) == (1, "")
    assert "refused the key" in err.splitlines()[-1]
    assert "Traceback" not in err
