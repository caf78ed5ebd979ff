"""Ill-treats a real ``earshot serve``: python -m scripts.stress_speech_server [--quick]

10,000 fuzzed messages; 1,000 connects that leave in mid-unit; a reader that sleeps for 60 s on
100 queued units. A neighbour talks all the while. Prints one JSON object: of each ordeal the
server's memory and open files before and after, and the neighbour's first audio; exit 1 where
a unit of the neighbour failed, or files or memory stayed behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.speech_server.test_fuzz import fuzzed

PATH = "/invocations-bidirectional-stream"
LONG = "This is a sentence that somebody begins to hear and then hangs up on, or sleeps through. "
MOST_MB = 40.0
"""What an ordeal may leave: caches of voices and of onnxruntime grow at first."""


class Server:
    """A child process and what the system says of it."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process = process
        self.url = url.replace("http", "ws", 1) + PATH
        self._proc = Path(f"/proc/{process.pid}")

    def figures(self) -> dict[str, float]:
        status = (self._proc / "status").read_text()
        kilobytes = next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line)
        return {
            "memory_mb": round(kilobytes / 1024, 1),
            "files": len(list((self._proc / "fd").iterdir())),
        }


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    command = ("-m", "bot", "serve", "--json", "--set", "serve.port=0")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        yield Server(process, json.loads(await process.stdout.readline())["url"])
    finally:
        process.terminate()
        await process.wait()


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


async def sleep_on(server: Server, seconds: float) -> None:
    async with connect(server.url, max_queue=1, ping_interval=None) as client:
        await say(client, type="hello", version=1)
        for number in range(100):
            await say(client, type="speak", id=f"u{number}", text=LONG * 3)
        await asyncio.sleep(seconds)
        await say(client, type="cancel", id="all")
        await hear(client, "cancelled", "busy")
        client.transport.abort()


async def ordeal(server: Server, work: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    before, first_audio_s, lost = server.figures(), list[float](), list[str]()
    talking = asyncio.create_task(neighbour(server, first_audio_s, lost))
    begun = time.monotonic()
    await work()
    seconds = time.monotonic() - begun
    await asyncio.sleep(1.0)
    if talking.done():
        lost.append(repr(talking.exception()))
    talking.cancel()
    await asyncio.wait({talking})
    await asyncio.sleep(1.0)
    after = server.figures()
    slow, failed = sorted(first_audio_s), [kind for kind in lost if kind != "busy"]
    return {
        "seconds": round(seconds, 1),
        "before": before,
        "after": after,
        "neighbour_units": len(slow),
        "neighbour_refused": len(lost) - len(failed),
        "neighbour_failed": failed,
        "neighbour_first_audio_ms": {
            "p50": round(1000 * statistics.median(slow)) if slow else None,
            "max": round(1000 * slow[-1]) if slow else None,
        },
        "ok": not failed
        and after["files"] <= before["files"] + 2
        and after["memory_mb"] <= before["memory_mb"] + MOST_MB,
    }


async def main(quick: bool) -> int:
    scale = 10 if quick else 1
    async with serving() as server:
        await come_and_go(server, 20)
        ordeals: dict[str, Callable[[], Awaitable[None]]] = {
            "fuzzed_messages": lambda: fuzz(server, 10_000 // scale),
            "come_and_go": lambda: come_and_go(server, 1_000 // scale),
            "asleep": lambda: sleep_on(server, 60 / scale),
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
