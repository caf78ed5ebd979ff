"""One espeak for the module, as its state is global."""

from __future__ import annotations

import pytest

from speech.kokoro.g2p import Phonemizer


@pytest.fixture(scope="session")
def phonemizer() -> Phonemizer:
    return Phonemizer()
