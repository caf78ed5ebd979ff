"""Guards: after any conversation no reply is left over, no word lost, and the user is heard."""

from __future__ import annotations

import asyncio

import pytest

from bot import hearing
from tests.core.fuzz import converse
from tests.core.voices import fake_vad

SEEDS = (5, 9, 11, 14, 20, 35)


async def test_random_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "build_vad", fake_vad)
    async with asyncio.TaskGroup() as all_at_once:
        for seed in SEEDS:
            all_at_once.create_task(converse(seed))
