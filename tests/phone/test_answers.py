"""Each carrier is told, in its own words, to open the stream or that the line is busy."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from bot.phone import answers

URL = "wss://bot.example.com/stream/a-b_c?x=1&y=2"


def test_twilio_connects_the_stream_then_hangs_up() -> None:
    root = ET.fromstring(answers.twilio_stream(URL).body)  # noqa: S314  our own XML
    assert root.find("Connect/Stream").get("url") == URL  # type: ignore[union-attr]
    assert [child.tag for child in root] == ["Connect", "Hangup"]


def test_telnyx_streams_both_ways() -> None:
    stream = ET.fromstring(answers.telnyx_stream(URL).body).find("Connect/Stream")  # noqa: S314
    assert stream is not None
    assert stream.attrib == {"url": URL, "bidirectionalMode": "rtp"}


def test_plivo_keeps_the_call_for_the_stream() -> None:
    stream = ET.fromstring(answers.plivo_stream(URL).body).find("Stream")  # noqa: S314
    assert stream is not None
    assert stream.text == URL
    assert stream.get("bidirectional") == "true"
    assert stream.get("keepCallAlive") == "true"


def test_exotel_gets_an_address() -> None:
    assert json.loads(answers.exotel_stream(URL).body) == {"url": URL}


def test_busy() -> None:
    assert ET.fromstring(answers.reject_busy().body).find("Reject").get("reason") == "busy"  # type: ignore[union-attr] # noqa: S314
    assert ET.fromstring(answers.hang_up_busy().body).find("Hangup").get("reason") == "busy"  # type: ignore[union-attr] # noqa: S314
