"""``earshot llm`` says which model answers and records it, for people and for machines."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from bot.llm.recording import read_replies
from tests.llm.bench import DEADLINE_S
from tests.llm.fake_server import FakeOpenAiServer, FakeReply, says


async def earshot(*arguments: str, url: str) -> tuple[int | None, str, str]:
    named = (f"--set=llm.base_url={url}", "--set=llm.model=fake")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "llm", *arguments, *named, stdout=-1, stderr=-1
    )
    async with asyncio.timeout(DEADLINE_S * 2):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


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


async def test_a_model_that_refuses_is_one_line_and_status_1(tmp_path: Path) -> None:
    async with FakeOpenAiServer(FakeReply(status=401)) as server:
        path = str(tmp_path / "r.jsonl")
        code, out, err = await earshot("record", "-o", path, "One?", url=server.base_url)
    assert (code, out) == (1, "")
    assert "refused the key" in err.splitlines()[-1]
    assert "Traceback" not in err
