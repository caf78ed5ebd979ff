"""A scripted conversation is heard as it is written with the voice behind a speech server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.speech_server import serve
from tests.engines.registry import kokoro_paths
from tests.speech_assets import ASTERISK
from tests.support import require

ROOT = Path(__file__).parents[2]
SCENARIO = ROOT / "tests" / "scenarios" / "first_turn.yaml"
LONGEST_S = 240

pytestmark = [pytest.mark.e2e, pytest.mark.models, pytest.mark.timeout(LONGEST_S + 30)]


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """``earshot serve``, in this process: its one listener is never refused."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    settings = Settings.model_validate({"serve": {"port": 0}})
    server = asyncio.create_task(
        serve(settings, Secrets(), notify=print, mark=print, on_ready=ready.set_result)
    )
    await asyncio.wait({server, ready}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield ready.result() if ready.done() else server.result()  # type: ignore[func-returns-value]
    finally:
        server.cancel()
        await asyncio.wait({server})


async def test_a_conversation_over_the_wire(tmp_path: Path) -> None:
    require(ASTERISK.is_dir(), "human speech: apt-get install asterisk-core-sounds-en-wav")
    kokoro_paths()
    async with serving() as url:
        command = [
            sys.executable, "-m", "bot", "run", str(SCENARIO), "--out", str(tmp_path), "--json",
            "--set", "tts.engine=server", "--set", f"tts.server.url={url}",
        ]  # fmt: skip
        run = await asyncio.to_thread(
            subprocess.run, command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_S
        )
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["passed"]
