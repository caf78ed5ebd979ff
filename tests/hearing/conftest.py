"""The local model, loaded once for the folder's tests."""

from pathlib import Path

import pytest

from speech.errors import EarshotError
from speech.hearing.whisper_decoder import WhisperDecoder
from speech.models.store import model_dir
from tests.support import require


@pytest.fixture(scope="session")
def whisper_dir() -> Path:
    try:
        return model_dir("whisper-tiny.en")
    except EarshotError as error:
        require(False, str(error))
        raise


@pytest.fixture(scope="session")
def decoder(whisper_dir: Path) -> WhisperDecoder:
    return WhisperDecoder(whisper_dir, threads=1, workers=1, language="en")
