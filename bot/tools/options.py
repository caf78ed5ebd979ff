"""What a function says about itself as a tool, beside its signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE = "evidence"


def tool_options(*, evidence: bool = False) -> Callable[[F], F]:
    """Decorate a function; it stays the function it is.

    With ``evidence`` what the model writes in the answer that calls it is held back, or
    taken back, as docs/evidence.md tells.
    """

    def mark(function: F) -> F:
        setattr(function, ATTRIBUTE, evidence)
        return function

    return mark


def is_evidence(function: Callable[..., Any]) -> bool:
    """Whether the function is marked, by ``tool_options`` or by ``function.evidence = True``."""
    return getattr(function, ATTRIBUTE, False) is True
