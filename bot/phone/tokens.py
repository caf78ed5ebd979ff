"""The key to a media stream: made by the webhook, good once, soon stale."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

TOKEN_LIFE_S = 60.0
"""A carrier opens its stream within seconds of the answer."""

MAX_TOKENS = 256
"""More unredeemed tokens than this push out the oldest."""

TOKEN_BYTES = 24


@dataclass(frozen=True)
class _Minted:
    call_id: str | None
    expires: float


class StreamTokens:
    """Random tokens in the stream's path, so that no one else can open a media socket.

    In the path, not the query: Twilio strips the query of a stream URL. A call has one
    token while it lives, so that a webhook sent again and again pushes out nobody's.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._minted: OrderedDict[str, _Minted] = OrderedDict()

    def mint(self, call_id: str | None) -> str:
        """A token for the stream of this call; None where the carrier does not name it yet."""
        live = self._live(call_id)
        if live is not None:
            return live
        while len(self._minted) >= MAX_TOKENS:
            self._minted.popitem(last=False)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._minted[token] = _Minted(call_id, self._clock() + TOKEN_LIFE_S)
        return token

    def _live(self, call_id: str | None) -> str | None:
        now = self._clock()
        same = (
            token
            for token, minted in self._minted.items()
            if minted.call_id == call_id and minted.expires >= now
        )
        return None if call_id is None else next(same, None)

    def redeem(self, token: str) -> Redeemed | None:
        """What the token opens, once; None for one that is unknown, used or stale."""
        found = self._minted.pop(token, None)
        if found is None or found.expires < self._clock():
            return None
        return Redeemed(found.call_id)


@dataclass(frozen=True)
class Redeemed:
    """A stream that may be opened, for ``call_id`` only where that is known."""

    call_id: str | None

    def fits(self, call_id: str) -> bool:
        """Whether the stream that started belongs to the call the token was made for."""
        return self.call_id is None or self.call_id == call_id
