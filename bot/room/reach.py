"""Is the room's server there? Asked before models are loaded."""

from __future__ import annotations

import asyncio
import os
from urllib.parse import urlsplit

from speech.errors import EarshotError, UsageError

REACH_TIMEOUT_S = 5.0

_PORTS = {"ws": 80, "http": 80, "wss": 443, "https": 443}


async def check_reachable(url: str, key: str = "room.url") -> None:
    """Open and close a TCP connection to the URL's host.

    Raises ``UsageError`` for a URL without a scheme or host we know, ``EarshotError`` when
    nothing answers within ``REACH_TIMEOUT_S``.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        parts, port = urlsplit(""), 0
    if not parts.hostname:
        raise UsageError(f"{key}: {url!r} is no address of a room server (wss://host or https://…)")
    try:
        async with asyncio.timeout(REACH_TIMEOUT_S):
            _, writer = await asyncio.open_connection(parts.hostname, port)
            writer.close()
    except OSError as error:  # TimeoutError is one
        number = error.errno or 0  # a failed name look-up has a negative one
        why = os.strerror(number) if number > 0 else error.strerror or "no answer"
        raise EarshotError(
            f"The room server at {parts.hostname} port {port} cannot be reached ({why}): "
            f"check {key} and that the server runs."
        ) from None
