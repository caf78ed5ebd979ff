"""Ill-treats a real ``earshot serve``: python -m scripts.stress_speech_server [--quick]

10,000 fuzzed messages; 1,000 connects that leave in mid-unit; two readers that sleep for 60 s on
100 units, one that gives no credit and reads no socket, and our own client. A neighbour talks all
the while, and at first undisturbed ("nothing"). Prints one JSON object: of each ordeal the
server's memory (the most, too) and open files before and after, the sleeper's memory, and the
neighbour's first audio; exit 1 where a unit of the neighbour failed, or files or memory stayed
behind, or memory grew on either side while the reader slept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from bench.speech_server import ServedVoice, served
from bot.config.schema import Settings
from scripts.sleeping_reader import LONG, memory_mb, most_memory_mb
from server.speech.app import SESSION_PATH
from tests.speech_server.test_fuzz import fuzzed

MOST_MB = 40.0
"""What an ordeal may leave: caches of voices and of onnxruntime grow at first."""
MOST_ASLEEP_MB = 8.0
"""What the sleeper itself may grow; a hundred units are 80 MB of sound."""
Figures = dict[str, Any]


class Server:
    """A child process and what the system says of it."""

    def __init__(self, voice: ServedVoice) -> None:
        self.pid, self.base = voice.pid, voice.settings.tts.server.url.replace("http", "ws", 1)
        self.url = self.base + SESSION_PATH

    def figures(self) -> dict[str, float]:
        files = len(list(Path(f"/proc/{self.pid}/fd").iterdir()))
        return {"memory_mb": memory_mb(self.pid), "files": files}


async def say(client: ClientConnection, **fields: Any) -> None:
    await client.send(json.dumps(fields))


async def hear(client: ClientConnection, *kinds: str) -> dict[str, Any]:
    """The next control message of one of these types."""
    while True:
        data = await client.recv()
        if isinstance(data, str):
            message: dict[str, Any] = json.loads(data)
            if message["type"] in kinds:
                return message


async def neighbour(server: Server, first_audio_s: list[float], lost: list[str]) -> None:
    """Speaks short units, one after the other, until cancelled."""
    async with connect(server.url) as client:
        await say(client, type="hello", version=1)
        await hear(client, "ready")
        number = 0
        while True:
            number += 1
            begun = time.monotonic()
            await say(client, type="speak", id=f"n{number}", text="I am still here.")
            first = None
            while True:
                data = await client.recv()
                if isinstance(data, bytes):
                    first = first or time.monotonic() - begun
                elif (message := json.loads(data))["type"] in ("done", "busy", "error"):
                    break
            if message["type"] == "done" and first:
                first_audio_s.append(first)
            else:
                lost.append(message["type"])
            await asyncio.sleep(message.get("retry_after_s", 0.3))


async def fuzz(server: Server, count: int) -> None:
    chance = random.Random(1)  # noqa: S311
    for _ in range(10):
        async with connect(server.url) as client:
            reading = asyncio.create_task(_drain(client))
            if chance.random() < 0.5:
                await say(client, type="hello", version=1)
            for _ in range(count // 10):
                raw = fuzzed(chance)
                if "close" not in str(raw):
                    await client.send(raw)
            await say(client, type="cancel", id="all")
            await say(client, type="ping")
            reading.cancel()


async def _drain(client: ClientConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for _ in client:
            pass


async def come_and_go(server: Server, count: int) -> None:
    async def one() -> None:
        async with connect(server.url) as client:
            await say(client, type="hello", version=1)
            await say(client, type="speak", id="u", text=LONG)
            await hear(client, "started", "busy")
            client.transport.abort()

    for _ in range(count // 10):
        await asyncio.gather(*(one() for _ in range(10)))


async def sleep_on(server: Server, seconds: float, kind: str) -> Figures:
    """What the sleeper, a process of its own, says of its memory."""
    sleeper = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "scripts.sleeping_reader", server.base, str(seconds), kind,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, _ = await sleeper.communicate()
    told: Figures = json.loads(said)
    memory = told["memory_mb"]
    return {
        "sleeper_units": told["units"],
        "sleeper_memory_mb": memory,
        "flat": memory["most"] <= memory["queued"] + MOST_ASLEEP_MB,
    }


async def ordeal(server: Server, work: Callable[[], Awaitable[Figures | None]]) -> Figures:
    before, first_audio_s, lost = server.figures(), list[float](), list[str]()
    talking = asyncio.create_task(neighbour(server, first_audio_s, lost))
    most = [before["memory_mb"]]
    watching = asyncio.create_task(most_memory_mb(server.pid, most))
    begun = time.monotonic()
    more = await work() or {}
    seconds = time.monotonic() - begun
    await asyncio.sleep(1.0)
    if talking.done():
        lost.append(repr(talking.exception()))
    for task in (talking, watching):
        task.cancel()
    await asyncio.wait({talking, watching})
    await asyncio.sleep(1.0)
    after = server.figures()
    slow, failed = sorted(first_audio_s), [kind for kind in lost if kind != "busy"]
    return {
        "seconds": round(seconds, 1),
        "before": before,
        "most_memory_mb": most[0],
        "after": after,
        **more,
        "neighbour_units": len(slow),
        "neighbour_refused": len(lost) - len(failed),
        "neighbour_failed": failed,
        "neighbour_first_audio_ms": {
            "p50": round(1000 * statistics.median(slow)) if slow else None,
            "max": round(1000 * slow[-1]) if slow else None,
        },
        "ok": not failed
        and more.get("flat", True)
        and most[0] <= before["memory_mb"] + MOST_MB
        and after["files"] <= before["files"] + 2
        and after["memory_mb"] <= before["memory_mb"] + MOST_MB,
    }


async def main(quick: bool) -> int:
    scale = 10 if quick else 1
    with tempfile.TemporaryDirectory() as folder:
        async with served(Settings(), Path(folder)) as voice:
            return await stress(Server(voice), scale)


async def stress(server: Server, scale: int) -> int:
    await come_and_go(server, 20)
    ordeals: dict[str, Callable[[], Awaitable[Figures | None]]] = {
        "nothing": lambda: asyncio.sleep(30 / scale),
        "fuzzed_messages": lambda: fuzz(server, 10_000 // scale),
        "come_and_go": lambda: come_and_go(server, 1_000 // scale),
        "asleep_at_the_socket": lambda: sleep_on(server, 60 / scale, "socket"),
        "asleep_with_our_client": lambda: sleep_on(server, 60 / scale, "client"),
    }
    results = {}
    for name, work in ordeals.items():
        results[name] = await ordeal(server, work)
        print(name, json.dumps(results[name]), file=sys.stderr, flush=True)
    ok = all(result["ok"] for result in results.values())
    print(json.dumps({"name": "stress_speech_server", "ok": ok, **results}, indent=1))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main("--quick" in sys.argv)))
