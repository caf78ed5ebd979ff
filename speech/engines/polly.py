"""Amazon Polly: a managed voice, to compare with and to choose."""

from __future__ import annotations

import asyncio
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from speech.engine import ENGINE_RATE_HZ, SpeechSession, Stamp
from speech.engines.aws.access import Access
from speech.engines.aws.downloads import CONNECTIONS, Downloads
from speech.engines.aws.engine import AwsEngine
from speech.engines.aws.installed import require_boto3, require_sdk
from speech.engines.aws.polly_classic import PollyDecoder, Synthesis
from speech.engines.aws.polly_session import PollySession
from speech.engines.aws.polly_spare import Times
from speech.engines.aws.polly_voices import check_voice, voices
from speech.errors import EngineError

if TYPE_CHECKING:
    from speech.engines.aws.sdk_polly import PollyStreams


class PollyEngine(AwsEngine):
    """``mode`` ``bidi`` streams both ways and needs a voice of Polly's generative engine;
    ``classic`` makes a call for each unit, with the ``engine`` of Polly's that is named.

    Polly gives 16 kHz, which is brought to the engines' common 24 kHz, and no word times.
    Region, credentials and certificates as in ``Access``.
    """

    name = "polly"

    def __init__(
        self,
        *,
        region: str | None = None,
        mode: Literal["bidi", "classic"] = "bidi",
        engine: str = "generative",
        profile: str | None = None,
        endpoint_url: str | None = None,
        ca_file: Path | None = None,
        credentials_file: Path | None = None,
        unit_timeout_s: float = 60.0,
        connect_timeout_s: float = 10.0,
        times: Times | None = None,
    ) -> None:
        """``unit_timeout_s`` bounds the wait for each next piece of a unit."""
        super().__init__()
        self._access = Access(region, profile, endpoint_url, ca_file, credentials_file)
        self._mode, self._engine = mode, engine
        self._unit_timeout_s, self._connect_timeout_s = unit_timeout_s, connect_timeout_s
        self._times = times
        self._speaking: Bidirectional | Classic | None = None

    def voices(self) -> list[str]:
        """Every voice of Polly's. Raises ``UsageError`` where boto3 is not installed."""
        require_boto3(self.name)
        return list(voices())

    def _check_voice(self, voice: str) -> None:
        require_boto3(self.name)
        check_voice(voice)

    async def _start(self) -> None:
        if self._mode == "classic":
            await self._access.credentials()
            self._speaking = await asyncio.to_thread(
                Classic, self._access, self._engine, self._unit_timeout_s
            )
            return
        require_sdk(self.name, "aws_sdk_polly", "classic")
        # Amazon's packages take most of a second to import.
        sdk = await asyncio.to_thread(import_module, "speech.engines.aws.sdk_polly")
        streams: PollyStreams = sdk.PollyStreams(
            self._access, connect_timeout_s=self._connect_timeout_s
        )
        await streams.start()
        self._speaking = Bidirectional(streams, self._unit_timeout_s, self._times)

    async def _open(self, voice: str, speed: float, stamp: Stamp) -> SpeechSession:
        if self._speaking is None:
            raise EngineError("the speech engine is closed")
        return self._speaking.open(voice, speed, stamp)

    async def _end(self) -> None:
        if self._speaking is not None:
            await self._speaking.aclose()


class Classic:
    """Sessions that make a call for each unit."""

    def __init__(self, access: Access, engine: str, timeout_s: float) -> None:
        """Reads Polly's description, which takes a moment: in a thread."""
        self._engine = engine
        self._client = access.client("polly", timeout_s=timeout_s, connections=CONNECTIONS)
        self._downloads = Downloads("Polly", ENGINE_RATE_HZ, timeout_s)
        self._downloads.forget = self._client.close  # of its connections; it opens others

    def open(self, voice: str, speed: float, stamp: Stamp) -> SpeechSession:
        """A session."""
        call = Synthesis(self._client, voice, speed, self._engine)
        return self._downloads.session(call, PollyDecoder, stamp)

    async def aclose(self) -> None:
        """End all sessions."""
        await self._downloads.aclose()


class Bidirectional:
    """Sessions that stream both ways."""

    def __init__(self, streams: PollyStreams, timeout_s: float, times: Times | None) -> None:
        self._streams, self._timeout_s, self._times = streams, timeout_s, times
        # Not weak: a session that is forgotten has a stream to be closed.
        self._sessions: set[PollySession] = set()

    def open(self, voice: str, speed: float, stamp: Stamp) -> SpeechSession:
        """A session, whose first stream is being opened."""
        open_stream = partial(self._streams.open, voice)
        session = PollySession(
            open_stream, speed, stamp, timeout_s=self._timeout_s, times=self._times or Times()
        )
        self._sessions.add(session)
        session.on_close = partial(self._sessions.discard, session)
        session.prepare()
        return session

    async def aclose(self) -> None:
        """End all sessions and the connection."""
        for session in list(self._sessions):
            await session.aclose()
        await self._streams.aclose()
