"""``POST /invocations``, as the reference's container answers it."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.responses import Response

from server.speech.asked import Asked, Fields, Refusal
from server.speech.encoders import FORMATS
from server.speech.service import SpeechService
from server.speech.speech_route import (
    SpeechRoute,
    error_body,
    refused_as_told,
    speed_of,
    text_of,
)
from speech.wire import SAMPLE_RATES

_FORMATS = ["wav", "mp3"]


class Invocations(SpeechRoute):
    """Checks in the reference's order: stale, text, format, voice, sample rate; then ours.

    ``transport: sse`` is the form that earlier versions of the reference had.
    """

    name = "invocations"

    def __init__(self, service: SpeechService, clock: Callable[[], float] = time.time) -> None:
        super().__init__(service)
        self._clock = clock

    async def read(self, fields: Fields) -> Asked:
        """See ``SpeechRoute``."""
        fresh_s = self._fresh_s(fields)
        text = text_of(fields, "text", self.service)
        format_name = fields.one_of("format", _FORMATS, "wav")
        voice = fields.text("voice", self.service.voice)
        await self._check_voice(voice)
        sample_rate = fields.one_of("sample_rate", list(SAMPLE_RATES), 24_000)
        transport = fields.one_of("transport", ["binary", "sse"], "binary")
        return Asked(
            text,
            voice,
            speed_of(fields),
            format_name,
            FORMATS[format_name],
            int(sample_rate),
            fields.truth("stream", True),
            "reference" if transport == "sse" else None,
            fields.text("request_id", "unknown"),
            fresh_s,
        )

    def refusal(self, refusal: Refusal) -> Response:
        """See ``SpeechRoute``."""
        return error_body(refusal)

    def _fresh_s(self, fields: Fields) -> float | None:
        made, most = fields.number("request_timestamp", None), self.service.limits.request_age_s
        if most <= 0:
            return None
        left_s = most if made is None else most - max(0.0, self._clock() - made)
        if left_s < 0:
            self.service.metrics.refused.labels("stale").inc()
            raise Refusal(408, "request_stale")
        return left_s

    async def _check_voice(self, voice: str) -> None:
        """A blend of voices is in no list: the engine is asked."""
        if voice not in self.service.engine.voices():
            with refused_as_told(self.service):
                self.service.check_voice(voice)
                async with self.service.speaking(voice, 1.0):
                    pass
