"""Asks for 100 units and sleeps: python -m scripts.sleeping_reader URL SECONDS socket|client

``socket`` reads no frame and gives no credit; ``client`` is our own client, whose listener takes
the first piece and no other. Prints one JSON object: how many units were taken on, and this
process's memory with everything queued, the most while it slept, and at the end. Part of
scripts/stress_speech_server.py.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from server.speech.app import SESSION_PATH
from speech.engine import PcmChunk, SpeechSession
from speech.engines.server import ServerEngine
from speech.errors import EngineBusyError

UNITS = 100
NO_HURRY_MS = 600_000
"""None is to be refused because it could not be heard soon: they are for somebody who sleeps."""
LONG = "This is a sentence that somebody begins to hear and then hangs up on, or sleeps through. "
FIRST = "One moment."
"""Short: a busy server takes it on beside a neighbour who talks."""
_SAMPLE_S = 0.5
Taken = Callable[[], Awaitable[int]]


def memory_mb(pid: int) -> float:
    """What the process holds in memory now."""
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = next(int(line.split()[1]) for line in status.splitlines() if "VmRSS" in line)
    return round(kilobytes / 1024, 1)


async def most_memory_mb(pid: int, most: list[float]) -> None:
    """Note the most there ever was in ``most[0]``, until cancelled."""
    while True:
        most[0] = max(most[0], memory_mb(pid))
        await asyncio.sleep(_SAMPLE_S)


@asynccontextmanager
async def at_socket(url: str) -> AsyncGenerator[Taken]:
    """A hundred units queued at the server, and a library that reads a frame at most."""
    async with connect(url + SESSION_PATH, max_queue=1, ping_interval=None) as client:
        await client.send(json.dumps({"type": "hello", "version": 1}))
        await client.recv()
        await _started(client)
        for number in range(1, UNITS):
            await _speak(client, f"u{number}", 3 * LONG)
        yield partial(_taken, client)
        client.transport.abort()


async def _speak(client: ClientConnection, name: str, text: str) -> None:
    speak = {"type": "speak", "id": name, "text": text, "deadline_ms": NO_HURRY_MS}
    await client.send(json.dumps(speak))


async def _started(client: ClientConnection) -> None:
    """The first unit is being said, however often it was refused before."""
    kind = "busy"
    while kind != "started":
        if kind == "busy":
            await _speak(client, "u0", FIRST)
        data = await client.recv()
        told = json.loads(data) if isinstance(data, str) else {"type": "audio"}
        kind = told["type"]
        await asyncio.sleep(told.get("retry_after_s", 0.0))


async def _taken(client: ClientConnection) -> int:
    """How many were, as their ends tell once all are cancelled."""
    await client.send(json.dumps({"type": "cancel", "id": "all"}))
    await client.send(json.dumps({"type": "ping"}))
    taken = 0
    while True:
        data = await client.recv()
        if isinstance(data, str):
            kind = json.loads(data)["type"]
            taken += kind in ("done", "cancelled")
            if kind == "pong":
                return taken


@asynccontextmanager
async def with_client(url: str) -> AsyncGenerator[Taken]:
    """A hundred units asked for, of which the first is being heard."""
    engine = ServerEngine(url)
    try:
        await engine.start()
        session = await engine.open(engine.voices()[0])
        units: list[Any] = [await _begun(session)]
        units += [session.speak(f"u{number}", 3 * LONG) for number in range(1, UNITS)]

        async def taken() -> int:
            return len(units)

        yield taken
    finally:
        await engine.aclose()


async def _begun(session: SpeechSession) -> AsyncIterator[PcmChunk]:
    """A unit whose first piece has come, however often it was refused before."""
    for number in itertools.count():
        unit = session.speak(f"first{number}", FIRST)
        try:
            await anext(unit)
        except EngineBusyError as busy:
            await asyncio.sleep(busy.retry_after_s or 1.0)
        else:
            return unit
    raise AssertionError


async def main(url: str, seconds: float, kind: str) -> None:
    asleep = {"socket": at_socket, "client": with_client}[kind]
    async with asleep(url) as taken:
        queued = memory_mb(os.getpid())
        most = [queued]
        watching = asyncio.create_task(most_memory_mb(os.getpid(), most))
        await asyncio.sleep(seconds)
        watching.cancel()
        memory = {"queued": queued, "most": most[0], "after": memory_mb(os.getpid())}
        print(json.dumps({"units": await taken(), "memory_mb": memory}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]), sys.argv[3]))
