"""The virtual card as a fixture; import ``virtual_card`` in a folder's conftest."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bench.soundcard.virtual_card import VirtualCard, missing_programs
from tests.support import require


@pytest.fixture(scope="session")
def virtual_card() -> Iterator[VirtualCard]:
    """One card for the session, and PortAudio in this process sees only it."""
    require(not missing_programs(), f"not installed: {', '.join(missing_programs())}")
    import sounddevice as sd

    with VirtualCard() as card:
        before = {name: os.environ.get(name) for name in card.variables}
        os.environ.update(card.variables)
        _look_again(sd)
        try:
            yield card
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
            _look_again(sd)


def _look_again(sd: object) -> None:
    sd._terminate()  # type: ignore[attr-defined]
    sd._initialize()  # type: ignore[attr-defined]
