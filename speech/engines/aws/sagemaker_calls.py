"""Kokoro on a SageMaker endpoint, a call for each unit."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from speech.engine import SpeechSession, Stamp
from speech.engines.aws.access import Access
from speech.engines.aws.downloads import CONNECTIONS, Downloads
from speech.engines.aws.engine import AwsEngine
from speech.engines.aws.installed import require_boto3
from speech.engines.aws.response_stream import Invocation, WavDecoder
from speech.errors import UnknownVoiceError
from speech.models.voice_hashes import VOICE_SHA256


class SagemakerCallsEngine(AwsEngine):
    """InvokeEndpointWithResponseStream, of any container that speaks the reference's contract.

    ``voices`` are those the container has; by default all of Kokoro's, and what the container
    lacks it refuses. Such calls tell no word times, and a container that is not ours computes
    a unit to its end although it was cancelled.
    """

    name = "sagemaker"

    def __init__(
        self,
        endpoint: str,
        access: Access,
        *,
        voices: Sequence[str] | None,
        variant: str | None,
        unit_timeout_s: float,
    ) -> None:
        super().__init__()
        self._endpoint, self._access, self._variant = endpoint, access, variant
        self._voices = sorted(voices or VOICE_SHA256)
        self._unit_timeout_s = unit_timeout_s
        what = f"SageMaker's endpoint {endpoint}"
        self._downloads = Downloads(what, self.sample_rate, unit_timeout_s)
        self._client: Any = None

    def voices(self) -> list[str]:
        """See the class."""
        return list(self._voices)

    def _check_voice(self, voice: str) -> None:
        if voice not in self._voices:
            known = ", ".join(self._voices)
            raise UnknownVoiceError(f"no voice {voice!r}; choose one of: {known}")

    async def _start(self) -> None:
        require_boto3(self.name)
        await self._access.credentials()
        self._client = await asyncio.to_thread(
            self._access.client,
            "sagemaker-runtime",
            timeout_s=self._unit_timeout_s,
            connections=CONNECTIONS,
        )
        self._downloads.forget = self._client.close  # of its connections; it opens others

    async def _open(self, voice: str, speed: float, stamp: Stamp) -> SpeechSession:
        call = Invocation(self._client, self._endpoint, voice, speed, variant=self._variant)
        return self._downloads.session(call, WavDecoder, stamp)

    async def _end(self) -> None:
        await self._downloads.aclose()
