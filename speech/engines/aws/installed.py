"""Whether Amazon's packages are there; imports none of them."""

from __future__ import annotations

import importlib.util
import sys

from speech.errors import UsageError

HINT = "pip install 'earshot[aws]'"


def require_boto3(engine: str) -> None:
    """Raise ``UsageError`` where boto3 is not installed."""
    if importlib.util.find_spec("boto3") is None:
        raise UsageError(f"tts.engine {engine} needs boto3: {HINT}")


def require_sdk(engine: str, package: str, instead: str) -> None:
    """Raise ``UsageError`` where the SDK for streams is not installed, or cannot be.

    ``instead`` is the mode that does without it.
    """
    require_boto3(engine)
    if all(importlib.util.find_spec(name) for name in (package, "awscrt")):
        return
    if sys.version_info < (3, 12):
        raise UsageError(
            f"Amazon's SDK for streams needs Python 3.12; here set tts.{engine}.mode: {instead}"
        )
    raise UsageError(f"tts.engine {engine} needs Amazon's SDK for streams: {HINT}")
