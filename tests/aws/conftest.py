"""A container, and the emulator in front of it."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator

import pytest

from tests.aws.container import FakeContainer, served
from tests.aws.emulator import Emulator
from tests.support import require


@pytest.fixture(scope="session", autouse=True)
def _sdk() -> None:
    found = importlib.util.find_spec("aws_sdk_sagemaker_runtime_http2")
    require(found, "Amazon's SDK: pip install 'earshot[aws]' (Python 3.12)")


@pytest.fixture
def container() -> FakeContainer:
    return FakeContainer()


@pytest.fixture
async def emulator(container: FakeContainer) -> AsyncIterator[Emulator]:
    async with served(container.asgi) as address, Emulator(address) as emulator:
        yield emulator
