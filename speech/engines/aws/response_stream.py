"""Kokoro's container by plain calls: InvokeEndpointWithResponseStream, one for each unit."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from speech.audio.wav_stream import WavStreamDecoder
from speech.engine import ENGINE_RATE_HZ
from speech.engines.aws.download import Body
from speech.engines.aws.errors import ServiceError


class WavDecoder:
    """The samples of a WAV at the engine's rate; the container was asked for nothing else."""

    def __init__(self) -> None:
        self._wav = WavStreamDecoder(ENGINE_RATE_HZ)

    def feed(self, piece: bytes) -> NDArray[np.int16]:
        """The samples that a piece completes."""
        samples = self._wav.feed(piece)
        if self._wav.rate_hz != ENGINE_RATE_HZ:
            raise ServiceError(f"the container answers at {self._wav.rate_hz} Hz, not as asked")
        return samples

    def end(self) -> NDArray[np.int16]:
        """What is left."""
        return self._wav.end()


class Invocation:
    """Asks the endpoint for the sound of a text; runs in a thread."""

    def __init__(
        self,
        client: Any,
        endpoint: str,
        voice: str,
        speed: float,
        *,
        variant: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._client, self._endpoint, self._clock = client, endpoint, clock
        self._fields = {
            "voice": voice,
            "speed": speed,
            "format": "wav",
            "sample_rate": ENGINE_RATE_HZ,
            "stream": True,
        }
        self._variant = {"TargetVariant": variant} if variant else {}

    def __call__(self, text: str) -> Body:
        """The call's body, whose head has come. The container refuses what has waited too long."""
        body = {"text": text, **self._fields, "request_timestamp": self._clock()}
        answer = self._client.invoke_endpoint_with_response_stream(
            EndpointName=self._endpoint,
            ContentType="application/json",
            Accept="audio/wav",
            Body=json.dumps(body).encode(),
            **self._variant,
        )
        events = answer["Body"]
        return Body(_pieces(events), events._raw_stream)


def _pieces(events: Any) -> Iterator[bytes]:
    for event in events:
        if "PayloadPart" in event:
            yield event["PayloadPart"]["Bytes"]
