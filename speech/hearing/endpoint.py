"""The remote recogniser: an OpenAI-compatible transcription endpoint."""

from __future__ import annotations

import asyncio
import io
import wave

import numpy as np
from numpy.typing import NDArray
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    OpenAIError,
)

from speech.hearing.recogniser import RecognitionError, Transcript
from speech.redact import without_password
from speech.text_clean import clean

DEFAULT_MODEL = "whisper-1"
"""OpenAI's model that reports no-speech scores, by which noise is told from words."""

_RETRIES = 1
_CONNECT_SHARE = 0.5
"""Of the time limit, so that a connection that hangs leaves time for the second try."""


class EndpointRecogniser:
    """``POST {base_url}/audio/transcriptions`` with a WAV file, one connection pool.

    Models with "whisper" in their name are asked for scores (``verbose_json``); others do not
    know them, and then energy and the voice detector alone tell noise from words.
    """

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None = None,
        model: str = DEFAULT_MODEL,
        language: str = "en",
        timeout_s: float = 15.0,
    ) -> None:
        self.name = model
        self.timeout_s = timeout_s
        self._base_url = base_url
        self._language = language
        self._client = AsyncOpenAI(
            # Local servers want no key, but the client insists on one.
            api_key=api_key or "none",
            base_url=base_url,
            timeout=timeout_s * _CONNECT_SHARE,
            max_retries=_RETRIES,
        )

    async def start(self) -> None:
        """Nothing to load: the first transcription connects."""

    async def transcribe(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        """The words in mono ``samples``. Raises ``RecognitionError`` within ``timeout_s``."""
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._request(_wav(samples, rate_hz))
        except (TimeoutError, APITimeoutError):
            raise RecognitionError(
                f"{self._where} did not answer in {self.timeout_s:g} s"
            ) from None
        except APIStatusError as error:
            raise RecognitionError(_status_line(self._where, error)) from error
        except APIConnectionError as error:
            raise RecognitionError(
                f"cannot reach {self._where}: is stt.base_url right, and is the server up?"
            ) from error
        except (OpenAIError, ValueError) as error:  # ValueError: a body that is not JSON
            raise RecognitionError(f"{self._where} sent an answer that cannot be read") from error

    async def aclose(self) -> None:
        """Close the connections; idempotent."""
        await self._client.close()

    async def _request(self, audio: bytes) -> Transcript:
        file = ("speech.wav", audio, "audio/wav")
        if "whisper" not in self.name.lower():
            plain = await self._client.audio.transcriptions.create(
                file=file, model=self.name, language=self._language
            )
            return Transcript(_text(plain))
        scored = await self._client.audio.transcriptions.create(
            file=file,
            model=self.name,
            language=self._language,
            temperature=0,
            response_format="verbose_json",
        )
        segments = getattr(scored, "segments", None) or []
        return Transcript(
            _text(scored),
            min((s.no_speech_prob for s in segments if s.no_speech_prob is not None), default=None),
            min((s.avg_logprob for s in segments if s.avg_logprob is not None), default=None),
        )

    @property
    def _where(self) -> str:
        return f"the transcription endpoint {without_password(self._base_url or 'of OpenAI')}"


def _text(response: object) -> str:
    text = getattr(response, "text", None)
    if not isinstance(text, str):
        raise ValueError("no text in the answer")
    return clean(text).strip()


def _status_line(where: str, error: APIStatusError) -> str:
    hint = {
        401: "refused the key: set OPENAI_API_KEY or EARSHOT_STT_API_KEY",
        403: "refused the key: it may not use this model",
        404: "has no such path or model: check stt.base_url and stt.model",
        429: "has too many requests from us, or the quota is used up",
    }.get(error.status_code, "failed")
    return f"{where} {hint} (HTTP {error.status_code})"


def _wav(samples: NDArray[np.int16], rate_hz: int) -> bytes:
    with io.BytesIO() as buffer:
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate_hz)
            file.writeframes(samples.tobytes())
        return buffer.getvalue()
