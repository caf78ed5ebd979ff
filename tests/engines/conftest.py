"""One warm engine a module, for each engine there is."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from speech.engine import SpeechEngine, SpeechSession
from tests.engines.listening import Stamps
from tests.engines.registry import ENGINES, EngineCase


@pytest.fixture(
    scope="module", params=[pytest.param(case, marks=case.marks, id=case.name) for case in ENGINES]
)
def case(request: pytest.FixtureRequest) -> EngineCase:
    return request.param


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(case: EngineCase) -> AsyncIterator[SpeechEngine]:
    engine = case.make()
    await engine.start()
    yield engine
    await engine.aclose()


@pytest.fixture
def understood(case: EngineCase) -> None:
    """Skips where what is spoken is no speech, or was listened to before."""
    if not case.understood:
        pytest.skip("what speaks here is no speech, or was heard in another case")


@pytest_asyncio.fixture(loop_scope="module")
async def stamps() -> Stamps:
    return Stamps()


@pytest_asyncio.fixture(loop_scope="module")
async def session(
    engine: SpeechEngine, case: EngineCase, stamps: Stamps
) -> AsyncIterator[SpeechSession]:
    session = await engine.open(case.voice, stamp=stamps)
    yield session
    await session.aclose()
