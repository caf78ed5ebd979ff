"""Shared fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(scope="module")
def loaded_once() -> Iterator[None]:
    """For a module that loads real models often and is not about loading them."""
    from tests import loaded_once  # here: it imports the speech stack

    with pytest.MonkeyPatch.context() as patch:
        loaded_once.keep(patch)
        yield


REAL_TIME = ("soundcard", "browser", "e2e")
"""What runs against a clock that a busy machine cannot hold still."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test in real time may be tried again, twice; the summary lists each try (``R``)."""
    for item in items:
        if any(item.get_closest_marker(name) for name in REAL_TIME):
            item.add_marker(pytest.mark.flaky(reruns=2))
