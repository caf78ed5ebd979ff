"""The embedded model answers, comes back once when it dies, and never outlives us."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from loguru import logger

from bot.config.schema import Settings
from bot.llm.embedded import RESTART_WINDOW_S, EmbeddedServer
from bot.llm.endpoint import LlmEndpoint
from bot.llm.select import open_llm
from speech.errors import EarshotError
from tests.llm.bench import DEADLINE_S, bench

FAKE_CHILD = """
import http.server, json, os, sys, threading
class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Health)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("warming up", file=sys.stderr, flush=True)
print(json.dumps({"base_url": f"http://127.0.0.1:{server.server_port}/v1"}), flush=True)
sys.stdin.read()
"""
"""Speaks the child's protocol without a model, so that life and death can be tested anywhere."""

PARENT = """
import asyncio, sys
from bot.llm.embedded import EmbeddedServer
async def main():
    server = EmbeddedServer(sys.argv[1:])
    await server.ready()
    print(server.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


class FakeClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def fake_server(child: str = FAKE_CHILD) -> AsyncIterator[tuple[EmbeddedServer, FakeClock]]:
    clock = FakeClock()
    server = EmbeddedServer([sys.executable, "-c", child], clock=clock)
    try:
        yield server, clock
    finally:
        await server.aclose()


def is_running(pid: int) -> bool:
    """Running, and not only waiting to be reaped (its new parent may never do so)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")


async def gone(pid: int) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while is_running(pid):  # noqa: ASYNC110  # another process's end has no event here
            await asyncio.sleep(0.02)


async def kill(server: EmbeddedServer) -> int:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    pid = server.pid
    await gone(pid)
    server.suspect()  # as after the request that failed; the loop may not have reaped it yet
    return pid


async def test_it_is_started_once_and_ends_with_close() -> None:
    async with fake_server() as (server, _):
        urls = await asyncio.gather(server.ready(), server.ready())
        assert len(set(urls)) == 1
        pid = server.pid
        assert pid is not None
        assert is_running(pid)
        await server.aclose()
        await server.aclose()
        assert not is_running(pid)
        with pytest.raises(EarshotError, match="shut down"):
            await server.ready()


async def test_it_is_started_again_when_it_died_but_not_in_a_loop() -> None:
    async with fake_server() as (server, clock):
        await server.ready()
        first = await kill(server)
        await server.ready()
        assert server.pid != first
        await kill(server)
        with pytest.raises(EarshotError, match="died again"):
            await server.ready()
        clock.now += RESTART_WINDOW_S
        await server.ready()


async def test_a_hung_child_is_replaced_after_a_request_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.llm.embedded.HEALTH_TIMEOUT_S", 0.3)
    monkeypatch.setattr("bot.llm.embedded.END_TIMEOUT_S", 0.3)
    async with fake_server() as (server, _):
        await server.ready()
        pid = server.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        server.suspect()
        await server.ready()
        assert server.pid != pid
        assert not is_running(pid)


@pytest.mark.parametrize(
    ("child", "said"),
    [
        ("import sys; sys.exit('no such model')", "did not start: no such model"),
        ('print(\'{"base_url": "http://127.0.0.1:9/v1"}\', flush=True); input()', "not well"),
        ("input()", "within 1 s"),
    ],
    ids=["dies", "not healthy", "silent"],
)
async def test_a_failed_start_is_one_clear_error_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, child: str, said: str
) -> None:
    monkeypatch.setattr("bot.llm.embedded.START_TIMEOUT_S", 1.0)
    async with fake_server(child) as (server, _):
        with pytest.raises(EarshotError, match=said):
            await server.ready()
        assert server.pid is None


async def test_what_it_logs_goes_to_our_log_and_not_to_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    logger.remove()
    lines: list[str] = []
    sink = logger.add(lines.append, level="DEBUG")
    try:
        async with fake_server() as (server, _):
            await server.ready()
    finally:
        logger.remove(sink)
    assert any("warming up" in line for line in lines)
    assert not any("killing it" in line for line in lines)
    assert "warming up" not in "".join(capfd.readouterr())


async def test_it_ends_with_us_even_after_kill_9() -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, sys.executable, "-c", FAKE_CHILD, stdout=-1
    )
    await ends_with(parent)


@pytest.mark.models
async def test_the_real_one_ends_with_us_even_after_kill_9(embedded_settings: Settings) -> None:
    from bot.llm.embedded import command
    from speech.models.store import model_dir

    model = model_dir(embedded_settings.llm.embedded.model) / "model.gguf"
    argv = command(model, threads=1, context_tokens=512)
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, *argv, stdout=-1)
    await ends_with(parent)


async def ends_with(parent: asyncio.subprocess.Process) -> None:
    assert parent.stdout is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            child = int(await parent.stdout.readline())
        assert is_running(child)
    finally:
        parent.kill()
        await parent.wait()
    await gone(child)


@asynccontextmanager
async def real(settings: Settings) -> AsyncIterator[LlmEndpoint]:
    class NoSecrets:
        def get(self, name: str) -> str | None:
            return None

    said: list[str] = []
    endpoint = await open_llm(settings, NoSecrets(), notify=said.append)
    assert "embedded" in said[0]
    try:
        yield endpoint
    finally:
        await endpoint.aclose()


@pytest.mark.models
async def test_the_real_one_answers_and_answers_again_after_it_was_killed(
    embedded_settings: Settings,
) -> None:
    async with real(embedded_settings) as endpoint, bench(endpoint, embedded_settings) as table:
        await table.ask("What is the sea?")
        assert endpoint.server is not None
        await kill(endpoint.server)
        await table.ask("And what is a river?")
    apology = embedded_settings.bot.apology
    assert len(table.spoken) == 2
    assert all(text.strip() and apology not in text for text in table.spoken)


@pytest.mark.models
async def test_only_we_may_ask_it_and_only_from_this_machine(embedded_settings: Settings) -> None:
    async with real(embedded_settings) as endpoint:
        assert endpoint.base_url.startswith("http://127.0.0.1:")
        async with httpx.AsyncClient(trust_env=False, timeout=DEADLINE_S) as client:
            body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
            answer = await client.post(f"{endpoint.base_url}/chat/completions", json=body)
        assert answer.status_code == httpx.codes.UNAUTHORIZED
        assert endpoint.api_key not in json.dumps(repr(endpoint))
