"""Who sleeps on a hundred units costs neither side memory, and the others nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from websockets.asyncio.client import ClientConnection

from scripts import sleeping_reader
from scripts.sleeping_reader import at_socket, memory_mb, with_client
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.running import running, talking, until
from tests.speech_server.socket import server

WORDS = 400
"""Of a unit: 1.9 MB of sound, which the engine makes in milliseconds; a hundred are 190 MB."""
MOST_WORDS = 3_000
"""14 MB: what buffers take of it."""
MOST_MB = 16
"""Both sides are this process; the kernel's buffers are not in it."""


@pytest.mark.parametrize("asleep", [at_socket, with_client])
async def test_a_sleeper_is_flat_on_both_sides(
    asleep: Callable[[str], AbstractAsyncContextManager[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleeping_reader, "LONG", "word " * (WORDS // 3))
    engine = FakeEngine()
    async with running(server(engine)) as address, talking(address) as other:
        await say(other, "warm")
        before = memory_mb(os.getpid())
        async with asleep(f"ws://{address}"):
            made = await engine.rest(MOST_WORDS)
            grown = memory_mb(os.getpid()) - before
            for number in range(5):
                await say(other, f"u{number}")
        assert made < MOST_WORDS
        assert grown < MOST_MB


async def say(client: ClientConnection, name: str) -> None:
    """Two words, heard to their end."""
    await client.send(json.dumps({"type": "speak", "id": name, "text": "Not asleep."}))
    assert (await until(client, "done"))["id"] == name
