"""``POST /v1/audio/speech``, as OpenAI's API has it."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from server.speech.asked import Asked, Fields, Refusal
from server.speech.encoders import FORMATS
from server.speech.speech_route import SpeechRoute, speed_of, text_of

_OURS = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "bm_george",
    "cedar": "am_fenrir",
    "coral": "af_bella",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_heart",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_sky",
    "verse": "am_puck",
}
"""Their names, for programs that know no others: Kokoro's of the same name, or a like one."""

_KINDS = {400: "invalid_request_error", 413: "invalid_request_error", 503: "overloaded_error"}


class OpenAiSpeech(SpeechRoute):
    """``model`` and ``instructions`` are taken and not used; Kokoro's own voices may be named."""

    name = "openai_speech"

    async def read(self, fields: Fields) -> Asked:
        """See ``SpeechRoute``."""
        text = text_of(fields, "input", self.service)
        format_name = fields.one_of("response_format", list(FORMATS), "mp3")
        events = fields.one_of("stream_format", ["audio", "sse"], "audio")
        return Asked(
            text,
            self._voice(fields.text("voice", "")),
            speed_of(fields),
            format_name,
            FORMATS[format_name],
            24_000,
            events="openai" if events == "sse" else None,
            fresh_s=self.service.limits.request_age_s or None,
        )

    def refusal(self, refusal: Refusal) -> Response:
        """See ``SpeechRoute``."""
        error = {
            "message": refusal.reason,
            "type": _KINDS.get(refusal.status, "server_error"),
            "param": refusal.param,
            "code": None,
        }
        return JSONResponse({"error": error}, refusal.status, refusal.headers)

    def _voice(self, name: str) -> str:
        names = self.service.engine.voices()
        if not name:
            return self.service.voice
        ours = _OURS.get(name, name) if name not in names else name
        return self.service.voice if name in _OURS and ours not in names else ours
