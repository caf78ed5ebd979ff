"""The real speech server on a loopback port: in this process, or (``python -m``) in its own."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.speech.app import SpeechServer
from server.speech.auth import Tokens
from server.speech.listen import SpeechUvicorn
from server.speech.service import SpeechService
from speech.engine import SpeechEngine
from tests.engines.fake_voice import FakeVoice

PAUSE_S = 0.02
"""Between two words of the fake voice: a unit of twenty lasts long enough to be cut off."""


def bound(port: int = 0) -> socket.socket:
    """A listening socket on loopback."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen()
    return listening


@asynccontextmanager
async def served(
    engine: SpeechEngine, tokens: Tokens | None = None, *, ready: bool = True
) -> AsyncIterator[str]:
    """Serve a started engine; the server's address. Not ``ready``: as while the model loads."""
    listening = bound()
    service = SpeechService(engine)
    if ready:
        service.be_ready()
    server = SpeechUvicorn(SpeechServer(service, tokens).asgi)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        listening.close()


def main() -> None:
    """Serve the fake voice on the port that is given, 0: any; say which when it listens."""
    listening = bound(int(sys.argv[1]))
    service = SpeechService(FakeVoice(pause_s=PAUSE_S))
    service.be_ready()
    print(listening.getsockname()[1], flush=True)
    asyncio.run(SpeechUvicorn(SpeechServer(service).asgi).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
