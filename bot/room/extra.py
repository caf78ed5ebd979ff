"""The optional packages a room needs."""

from __future__ import annotations

import importlib

from speech.errors import UsageError


def need_extra(provider: str, *modules: str) -> None:
    """Raises ``UsageError`` that says what to install when a module is missing."""
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        raise UsageError(
            f"Rooms on {provider} need an extra: pip install 'earshot[room]' (in a clone: "
            "pip install -e '.[room]')."
        ) from None
