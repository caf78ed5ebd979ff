"""A scripted conversation is heard as it is written with the voice at the end of a network."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.speech_server import serve
from tests.aws.emulator import Emulator
from tests.engines.registry import kokoro_paths
from tests.speech_assets import ASTERISK
from tests.support import require

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "tests" / "scenarios"
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


async def assert_passes(name: str, out: Path, *flags: str, **environ: str) -> None:
    scenario = str(SCENARIOS / f"{name}.yaml")
    command = [sys.executable, "-m", "bot", "run", scenario, "--out", str(out), "--json", *flags]
    run = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, env={**os.environ, **environ},
        capture_output=True, text=True, timeout=LONGEST_S,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["passed"]


@pytest.fixture(autouse=True)
def installed() -> None:
    require(ASTERISK.is_dir(), "human speech: apt-get install asterisk-core-sounds-en-wav")
    kokoro_paths()


async def test_a_conversation_over_the_wire(tmp_path: Path) -> None:
    async with serving() as url:
        flags = ["--set", "tts.engine=server", "--set", f"tts.server.url={url}"]
        await assert_passes("first_turn", tmp_path, *flags)


async def test_an_interruption_and_an_answer_through_sagemaker(tmp_path: Path) -> None:
    """The first reply is cut off in its middle, the second one is heard to its end."""
    found = importlib.util.find_spec("aws_sdk_sagemaker_runtime_http2")
    require(found, "Amazon's SDK: pip install 'earshot[aws]' (Python 3.12)")
    async with serving() as url, Emulator(url.removeprefix("http://")) as emulator:
        await assert_passes("interruption", tmp_path, *emulator.flags(), **emulator.environ)
    assert emulator.seen.chunks_checked
