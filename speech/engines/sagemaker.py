"""Kokoro in a container on an Amazon SageMaker endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from speech.engine import ENGINE_RATE_HZ, SpeechEngine, SpeechSession, Stamp
from speech.engines.aws.access import Access
from speech.engines.aws.installed import require_sdk
from speech.engines.aws.sagemaker_calls import SagemakerCallsEngine
from speech.engines.link import Link
from speech.engines.remote.engine import RECOVER_S, RemoteEngine
from speech.engines.remote.greet import Protocol

if TYPE_CHECKING:
    from speech.engines.aws.sdk_sagemaker import SagemakerLinks

NAME = "sagemaker"


class SagemakerEngine:
    """See ``SpeechEngine``.

    ``mode`` ``bidi`` holds a conversation over the endpoint's bidirectional stream, in version 1
    of our protocol with our container and in version 0 with the reference's: cancelling, credits,
    word times and going on after a break are those of ``RemoteEngine``. SageMaker ends a stream
    after 30 minutes; another is open before that. ``stream`` makes a call for each unit
    (InvokeEndpointWithResponseStream), which any container of the reference's contract answers.
    """

    name = NAME
    sample_rate = ENGINE_RATE_HZ

    def __init__(
        self,
        endpoint: str,
        *,
        region: str | None = None,
        mode: Literal["bidi", "stream"] = "bidi",
        voices: Sequence[str] | None = None,
        variant: str | None = None,
        profile: str | None = None,
        endpoint_url: str | None = None,
        ca_file: Path | None = None,
        credentials_file: Path | None = None,
        protocol: Protocol = "auto",
        unit_timeout_s: float = 60.0,
        connect_timeout_s: float = 10.0,
        recover_s: float = RECOVER_S,
        spare: bool = True,
    ) -> None:
        """Region, credentials and certificates as in ``Access``; nothing is done before ``start``.

        ``voices`` are the container's, for ``stream`` where nobody tells; ``variant`` is the
        production variant that is asked for. ``unit_timeout_s`` bounds the wait for each next
        piece of a unit; ``protocol``, ``recover_s`` and ``spare`` as for ``RemoteEngine``.
        """
        access = Access(region, profile, endpoint_url, ca_file, credentials_file)
        self._links = _Links(endpoint, access, variant, connect_timeout_s)
        self._speaking: SpeechEngine
        if mode == "stream":
            self._speaking = SagemakerCallsEngine(
                endpoint, access, voices=voices, variant=variant, unit_timeout_s=unit_timeout_s
            )
        else:
            self._speaking = RemoteEngine(
                NAME,
                self._links.connect,
                protocol=protocol,
                unit_timeout_s=unit_timeout_s,
                recover_s=recover_s,
                spare=spare,
            )

    async def start(self) -> None:
        """See ``SpeechEngine``.

        Raises ``UsageError`` where Amazon's packages or the region are missing,
        ``EngineRefusedError`` for credentials and endpoints that are not taken.
        """
        await self._speaking.start()

    def voices(self) -> list[str]:
        """The container's; with ``bidi`` none before ``start``."""
        return self._speaking.voices()

    async def calibrate(self, voice: str) -> bool:
        """See ``SpeechEngine``."""
        return await self._speaking.calibrate(voice)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpeechSession:
        """See ``SpeechEngine``."""
        return await self._speaking.open(voice, speed, stamp=stamp)

    async def aclose(self) -> None:
        """See ``SpeechEngine``."""
        await self._speaking.aclose()
        await self._links.aclose()


class _Links:
    """Opens links, with packages that are imported when the first is wanted."""

    def __init__(
        self, endpoint: str, access: Access, variant: str | None, connect_timeout_s: float
    ) -> None:
        self._endpoint, self._access, self._variant = endpoint, access, variant
        self._connect_timeout_s = connect_timeout_s
        self._links: SagemakerLinks | None = None

    async def connect(self) -> Link:
        """See ``speech.engines.link.Connect``."""
        if self._links is None:
            require_sdk(NAME, "aws_sdk_sagemaker_runtime_http2", "stream")
            # They take most of a second to import.
            sdk = await asyncio.to_thread(import_module, "speech.engines.aws.sdk_sagemaker")
            self._links = self._links or sdk.SagemakerLinks(
                self._endpoint,
                self._access,
                variant=self._variant,
                connect_timeout_s=self._connect_timeout_s,
            )
        return await self._links.connect()

    async def aclose(self) -> None:
        """End the connection, if there is one."""
        if self._links is not None:
            await self._links.aclose()
