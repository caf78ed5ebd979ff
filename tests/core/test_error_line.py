"""The log says of an error what we wrote ourselves, and of others no word they were given."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import ErrorFrame
from pipecat.processors.filters.identity_filter import IdentityFilter

from bot.error_line import error_line
from speech.errors import EarshotError, EngineError


def raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


@pytest.mark.parametrize("kind", [EarshotError, EngineError])
def test_our_own_errors_are_told_in_full(kind: type[Exception]) -> None:
    line = "the voice took longer than 3 s"
    assert error_line(ErrorFrame(line, exception=kind(line))) == line


@pytest.mark.parametrize("error", [None, ValueError("secret"), raised(ValueError("secret"))])
@pytest.mark.parametrize("of_ours", [True, False])
def test_others_are_told_by_kind_and_place(error: Exception | None, of_ours: bool) -> None:
    frame = ErrorFrame("Error mapping: No way to resolve http://secret", exception=error)
    if of_ours:
        frame.processor = IdentityFilter()
    line = error_line(frame)
    assert "secret" not in line
    assert ("ValueError" in line) == (error is not None)
    assert line.startswith("IdentityFilter failed" if of_ours else "the pipeline failed")
