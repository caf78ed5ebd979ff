"""The four carriers: how each signs, answers and frames its audio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pipecat.serializers.base_serializer import FrameSerializer
from pipecat.serializers.exotel import ExotelFrameSerializer
from pipecat.serializers.plivo import PlivoFrameSerializer
from pipecat.serializers.telnyx import TelnyxFrameSerializer
from pipecat.serializers.twilio import TwilioFrameSerializer

from bot.config.secrets import Secrets
from bot.phone import answers
from bot.phone.guard import MULAW_BYTES_PER_S
from bot.phone.handshake import StreamStart
from bot.phone.signatures import (
    BasicAuth,
    PlivoSignature,
    SignatureCheck,
    TelnyxSignature,
    TwilioSignature,
)

STREAM_RATE_HZ = 8_000
"""All four send and take 8 kHz by default."""


@dataclass(frozen=True)
class Carrier:
    """What differs between carriers.

    ``check`` is None where the credentials in ``needs`` are missing. ``call_field`` is the
    webhook's field that holds the id its stream will name too, None where they may differ.
    ``chunk_10ms`` is how many tens of milliseconds of audio go into one message of ours,
    ``bytes_per_s`` the size of theirs.
    """

    name: str
    needs: tuple[str, ...]
    check: SignatureCheck | None
    stream: Callable[[str], answers.Answer]
    busy: Callable[[], answers.Answer] | None
    serializer: Callable[[StreamStart], FrameSerializer]
    call_field: str | None = None
    chunk_10ms: int = 2
    bytes_per_s: int = MULAW_BYTES_PER_S


def carrier(name: str, secrets: Secrets) -> Carrier:
    """The carrier of this name with the credentials that ``secrets`` has for it."""
    return {"twilio": _twilio, "telnyx": _telnyx, "plivo": _plivo, "exotel": _exotel}[name](secrets)


def _twilio(secrets: Secrets) -> Carrier:
    account, token = secrets.get("TWILIO_ACCOUNT_SID"), secrets.get("TWILIO_AUTH_TOKEN")

    def serializer(start: StreamStart) -> FrameSerializer:
        params = TwilioFrameSerializer.InputParams(auto_hang_up=bool(account and token))
        return TwilioFrameSerializer(start.stream_id, start.call_id, account, token, params=params)

    return Carrier(
        name="twilio",
        needs=("TWILIO_AUTH_TOKEN",),
        check=TwilioSignature(token) if token else None,
        stream=answers.twilio_stream,
        busy=answers.reject_busy,
        serializer=serializer,
        call_field="CallSid",
    )


def _telnyx(secrets: Secrets) -> Carrier:
    key, public_key = secrets.get("TELNYX_API_KEY"), secrets.get("TELNYX_PUBLIC_KEY")

    def serializer(start: StreamStart) -> FrameSerializer:
        params = TelnyxFrameSerializer.InputParams(auto_hang_up=bool(key))
        return TelnyxFrameSerializer(
            start.stream_id, start.encoding, "PCMU", start.call_id, key, params
        )

    return Carrier(
        name="telnyx",
        needs=("TELNYX_PUBLIC_KEY",),
        check=TelnyxSignature(public_key) if public_key else None,
        stream=answers.telnyx_stream,
        busy=answers.reject_busy,
        serializer=serializer,
    )


def _plivo(secrets: Secrets) -> Carrier:
    auth_id, token = secrets.get("PLIVO_AUTH_ID"), secrets.get("PLIVO_AUTH_TOKEN")

    def serializer(start: StreamStart) -> FrameSerializer:
        params = PlivoFrameSerializer.InputParams(auto_hang_up=bool(auth_id and token))
        return PlivoFrameSerializer(start.stream_id, start.call_id, auth_id, token, params)

    return Carrier(
        name="plivo",
        needs=("PLIVO_AUTH_TOKEN",),
        check=PlivoSignature(token) if token else None,
        stream=answers.plivo_stream,
        busy=answers.hang_up_busy,
        serializer=serializer,
        call_field="CallUUID",
    )


def _exotel(secrets: Secrets) -> Carrier:
    user, password = secrets.get("EXOTEL_API_KEY"), secrets.get("EXOTEL_API_TOKEN")

    def serializer(start: StreamStart) -> FrameSerializer:
        return ExotelFrameSerializer(start.stream_id, start.call_id)

    return Carrier(
        name="exotel",
        needs=("EXOTEL_API_KEY", "EXOTEL_API_TOKEN"),
        check=BasicAuth(user, password) if user and password else None,
        stream=answers.exotel_stream,
        busy=None,
        serializer=serializer,
        chunk_10ms=10,  # Exotel asks for at least 100 ms, in multiples of 320 bytes
        bytes_per_s=2 * STREAM_RATE_HZ,
    )
