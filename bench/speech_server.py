"""``earshot serve`` in a process of its own, on a free port of loopback."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.config.schema import Settings
from speech.errors import EarshotError

START_TIMEOUT_S = 180.0
"""For the model, and for what is prepared once on a machine."""
END_TIMEOUT_S = 35.0
"""Longer than what is being said may take to end."""
_REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class ServedVoice:
    """``settings`` are a bot's whose voice is the server ``pid``."""

    settings: Settings
    pid: int


@asynccontextmanager
async def served(settings: Settings, folder: Path) -> AsyncIterator[ServedVoice]:
    """The voice of ``settings`` behind a speech server, until the block ends.

    Its log is in ``folder``. Raises ``EarshotError`` where it does not start.
    """
    config = folder / "serve.json"
    config.write_text(json.dumps(_changed(settings, serve={"host": "127.0.0.1", "port": 0})))
    with (folder / "serve.log").open("w+") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bot", "serve", "--json", "--config", str(config),
            stdout=asyncio.subprocess.PIPE, stderr=errors, cwd=folder, env=_environment(os.environ),
        )  # fmt: skip
        try:
            url = await _address(process)
            if url is None:
                raise EarshotError(f"the speech server did not start: {_last_line(folder)}")
            tts = {"engine": "server", "fallback": None, "server": {"url": url}}
            yield ServedVoice(Settings.model_validate(_changed(settings, tts=tts)), process.pid)
        finally:
            await _end(process)


async def _address(process: asyncio.subprocess.Process) -> str | None:
    """What it prints once it is warm; None where it ends or takes too long."""
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            line = await process.stdout.readline()
    except TimeoutError:
        return None
    return json.loads(line)["url"] if line else None


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()


def _changed(settings: Settings, **sections: Mapping[str, object]) -> dict[str, object]:
    tree = settings.model_dump(mode="json")
    for name, values in sections.items():
        tree[name] |= values
    return tree


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Nothing but the file says how it is set up."""
    kept = {name: value for name, value in environ.items() if not name.startswith("EARSHOT_")}
    return kept | {"PYTHONPATH": str(_REPOSITORY)}


def _last_line(folder: Path) -> str:
    lines = (folder / "serve.log").read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
