"""What each carrier is told: open this stream, or busy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True)
class Answer:
    """A webhook's response body and its media type."""

    body: str
    media_type: str = "application/xml"


def _xml(inner: str) -> Answer:
    return Answer(f'<?xml version="1.0" encoding="UTF-8"?>\n<Response>{inner}</Response>')


def twilio_stream(url: str) -> Answer:
    """TwiML; what follows ``Connect`` runs when our side closes the stream."""
    return _xml(f"<Connect><Stream url={quoteattr(url)}/></Connect><Hangup/>")


def telnyx_stream(url: str) -> Answer:
    """TeXML; ``rtp`` makes the stream carry our audio back."""
    stream = f'<Stream url={quoteattr(url)} bidirectionalMode="rtp"/>'
    return _xml(f"<Connect>{stream}</Connect><Hangup/>")


def plivo_stream(url: str) -> Answer:
    """Plivo XML; ``keepCallAlive`` holds the call for as long as the stream lasts."""
    return _xml(
        '<Stream bidirectional="true" keepCallAlive="true" '
        f'contentType="audio/x-mulaw;rate=8000">{escape(url)}</Stream>'
    )


def exotel_stream(url: str) -> Answer:
    """The reply of a Voicebot applet's dynamic address."""
    return Answer(json.dumps({"url": url}), "application/json")


def reject_busy() -> Answer:
    """TwiML and TeXML: the caller hears the busy tone and is not charged."""
    return _xml('<Reject reason="busy"/>')


def hang_up_busy() -> Answer:
    """Plivo XML for busy."""
    return _xml('<Hangup reason="busy"/>')
