"""What every transport promises; a transport joins by adding its factory to ``SUBJECTS``.

A factory is an async context manager that gives a ``Subject``: the transport, not yet
running, and a way to read what its listener has heard since.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from pipecat.transports.base_transport import BaseTransport

from bench.soundcard.recorder import RECORD_RATE_HZ
from bench.soundcard.virtual_card import SPEAKER, VirtualCard
from speech.timeline import Timeline
from transports.local import LocalParams, LocalTransport
from transports.script.transport import ScriptParams, ScriptTransport


@dataclass
class Subject:
    """A transport under test. ``heard`` is mono at ``rate_hz`` and begins at ``heard_from`` on
    the timeline's clock; ``settle`` waits until what has been played is surely in it.
    ``holds_s``: what its device plays on after an interruption."""

    transport: BaseTransport
    timeline: Timeline
    heard: Callable[[], NDArray[np.int16]]
    rate_hz: int
    settle: Callable[[], Awaitable[None]]
    heard_from: Callable[[], float]
    holds_s: float = 0.0
    position: Callable[[str | None], float] | None = None


Factory = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Subject]]


@asynccontextmanager
async def local(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    """The sound card transport on the virtual card, heard by a recorder on its monitor."""
    card: VirtualCard = request.getfixturevalue("virtual_card")
    timeline = Timeline()
    transport = LocalTransport(LocalParams(output_device=SPEAKER), timeline)
    began = time.monotonic()

    async def settle() -> None:
        # The recorder gets pieces of 10 ms; half a second later all is there.
        until = time.monotonic() + 0.5
        await asyncio.to_thread(card.recorder.wait_until, until)

    yield Subject(
        transport,
        timeline,
        lambda: card.recorder.since(began),
        RECORD_RATE_HZ,
        settle,
        lambda: began,
        holds_s=0.1,
        position=transport.played_position,
    )


@asynccontextmanager
async def script(_: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    """The scripted transport, heard by its own recording."""
    timeline = Timeline()
    transport = ScriptTransport(ScriptParams(), timeline)

    async def settle() -> None:
        await asyncio.sleep(0.2)  # Its speaker holds 60 ms.

    yield Subject(
        transport,
        timeline,
        lambda: transport.recording.bot.samples,
        transport.recording.bot.rate_hz,
        settle,
        lambda: transport.recording.origin,
        position=transport.played_position,
    )


SUBJECTS: list[object] = [
    pytest.param(local, id="local", marks=pytest.mark.soundcard),
    pytest.param(script, id="script"),
]
