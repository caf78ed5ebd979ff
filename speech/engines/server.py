"""Our speech server (``earshot serve``), or a container of the reference's contract."""

from __future__ import annotations

from pathlib import Path

from speech.engines.remote.engine import RECOVER_S, RemoteEngine
from speech.engines.remote.greet import Protocol
from speech.engines.remote.websocket import websocket, websocket_url


class ServerEngine(RemoteEngine):
    """See ``RemoteEngine``, over a WebSocket."""

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        ca_file: Path | None = None,
        protocol: Protocol = "auto",
        unit_timeout_s: float = 60.0,
        recover_s: float = RECOVER_S,
        spare: bool = True,
    ) -> None:
        """``url`` like ``ws://HOST:PORT``; ``token`` opens the server, and is shown nowhere.

        ``ca_file`` has the certificates that a ``wss://`` server is checked with, the system's
        where it is None. Raises ``UsageError`` for a bad address or file; nothing is connected
        before ``start``.
        """
        super().__init__(
            "server",
            websocket(websocket_url(url), token=token, ca_file=ca_file),
            protocol=protocol,
            unit_timeout_s=unit_timeout_s,
            recover_s=recover_s,
            spare=spare,
        )
