"""Helpers of the test suite."""

from __future__ import annotations

import os

import pytest


def require(condition: object, reason: str) -> None:
    """Skip where a component is missing; in CI that is a failure, not a skip."""
    if condition:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"missing in CI: {reason}")
    pytest.skip(reason)
