"""The embedded model for tests that want a real one."""

from __future__ import annotations

import importlib.util

import pytest

from bot.config.schema import Settings
from speech.errors import EarshotError
from speech.models.store import model_dir
from tests.support import require


@pytest.fixture(scope="session")
def embedded_settings() -> Settings:
    """Settings for the embedded model; skips (fails in CI) where it is not installed."""
    require(importlib.util.find_spec("xllamacpp"), "xllamacpp is not installed")
    settings = Settings(llm={"provider": "embedded", "max_tokens": 24, "temperature": 0})
    try:
        model_dir(settings.llm.embedded.model)
    except EarshotError as error:
        require(False, str(error))
    return settings
