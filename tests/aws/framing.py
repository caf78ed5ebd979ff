"""Amazon's event-stream messages: length, headers, payload, checksums.

Read by botocore's parser, written here: the SDK under test uses neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import pack
from typing import Any
from zlib import crc32

from botocore.eventstream import EventStreamBuffer

_STRING = 7
_TIMESTAMP = 8


@dataclass(frozen=True)
class Message:
    """One message; ``headers`` as Python values, timestamps as milliseconds."""

    headers: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""

    def encode(self) -> bytes:
        """The message on the wire; its headers are strings."""
        headers = b"".join(_header(name, value) for name, value in self.headers.items())
        prelude = pack("!II", 16 + len(headers) + len(self.payload), len(headers))
        head = prelude + pack("!I", crc32(prelude)) + headers + self.payload
        return head + pack("!I", crc32(head))


class Decoder:
    """Messages from bytes that are cut anywhere."""

    def __init__(self) -> None:
        self._buffer = EventStreamBuffer()

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that are whole with ``data``."""
        self._buffer.add_data(data)
        for message in self._buffer:
            yield Message(message.headers, message.payload)


def decode_one(data: bytes) -> Message:
    """The one message that ``data`` is."""
    (message,) = Decoder().feed(data)
    return message


def date_header(milliseconds: int) -> bytes:
    """The header ``:date`` as a client encodes it, which it signs."""
    return _name(":date") + pack("!Bq", _TIMESTAMP, milliseconds)


def event(kind: str, payload: bytes, content_type: str, **headers: str) -> Message:
    """An event of the service."""
    head = {":message-type": "event", ":event-type": kind, ":content-type": content_type}
    return Message(head | headers, payload)


def exception(kind: str, **members: str) -> Message:
    """An error in the stream."""
    head = {":message-type": "exception", ":exception-type": kind}
    head[":content-type"] = "application/json"
    return Message(head, json.dumps(members).encode())


def _name(name: str) -> bytes:
    return pack("!B", len(name)) + name.encode()


def _header(name: str, value: str) -> bytes:
    return _name(name) + pack("!BH", _STRING, len(value.encode())) + value.encode()
