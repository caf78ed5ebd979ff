"""A scripted conversation is heard as it is written with the voice behind a speech server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.registry import kokoro_paths
from tests.engines.remote.served import served
from tests.engines.remote.served_kokoro import KeptKokoro
from tests.speech_assets import ASTERISK
from tests.support import require

ROOT = Path(__file__).parents[2]
SCENARIO = ROOT / "tests" / "scenarios" / "first_turn.yaml"
LONGEST_S = 240

pytestmark = [pytest.mark.e2e, pytest.mark.models, pytest.mark.timeout(LONGEST_S + 30)]


async def test_a_conversation_over_the_wire(tmp_path: Path) -> None:
    require(ASTERISK.is_dir(), "human speech: apt-get install asterisk-core-sounds-en-wav")
    kokoro = KeptKokoro(*kokoro_paths())
    await kokoro.start()
    async with served(kokoro) as url:
        command = [
            sys.executable, "-m", "bot", "run", str(SCENARIO), "--out", str(tmp_path), "--json",
            "--set", "tts.engine=server", "--set", f"tts.server.url={url}",
        ]  # fmt: skip
        run = await asyncio.to_thread(
            subprocess.run, command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_S
        )
    await kokoro.aclose()
    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads(run.stdout)["passed"]
