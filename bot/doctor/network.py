"""Checks of the ports we listen on and of the language model we would ask."""

from __future__ import annotations

import asyncio
import socket

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.doctor.check import Check
from speech.errors import EarshotError

_LLM_DEADLINE_S = 12.0


def check_port(section: str, host: str, port: int) -> Check:
    """Whether we could listen there now."""
    name = f"port {section}"
    where = f"{host}:{port}"
    if port == 0:
        return Check(name, "ok", f"{host}, any free port")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host, port))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "no such address"
        fix = f"stop the program that uses it, or set {section}.port to another (0: any free one)"
        return Check(name, "warn", f"{where}: {reason}", fix)
    return Check(name, "ok", f"{where} is free")


def check_llm(settings: Settings, secrets: Secrets) -> Check:
    """Which language model would answer; servers are asked, none is started."""
    try:
        description = asyncio.run(_choose(settings, secrets))
    except EarshotError as error:
        what, _, fix = str(error).partition(": ")
        return Check("llm", "fail", what, fix)
    except TimeoutError:
        fix = "check the network, or set llm.provider=embedded"
        return Check("llm", "fail", f"no answer within {_LLM_DEADLINE_S:.0f} s", fix)
    return Check("llm", "ok", description)


async def _choose(settings: Settings, secrets: Secrets) -> str:
    from bot.llm.select import choose  # loads pipecat

    async with asyncio.timeout(_LLM_DEADLINE_S):
        endpoint = await choose(settings, secrets)
        await endpoint.aclose()
    return endpoint.description
