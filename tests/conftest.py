"""Shared fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def loaded_once() -> Iterator[None]:
    """For a module that loads real models often and is not about loading them."""
    from tests import loaded_once  # here: it imports the speech stack

    with pytest.MonkeyPatch.context() as patch:
        loaded_once.keep(patch)
        yield
