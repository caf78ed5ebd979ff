"""WebSocket messages that are too long, cut on their way in.

A WebSocket library keeps a message until it is whole and closes the connection when that would be
too much. Here the rest of it is passed over instead, so that the application gets a message that is
still too long, and answers.
"""

from __future__ import annotations

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH, _MASKED, _OPCODE = 0x7F, 0x80, 0x0F
_CONTINUATION, _FIRST_CONTROL = 0x0, 0x8
_MASK_BYTES = 4
MOST_CONTROL_BYTES = 125
"""Of a ping or the like (RFC 6455). It may come between the fragments of a message, and a library
counts it with them."""


class Shortener:
    """What a client sends, each message of it at most ``most`` bytes long.

    Frames keep their number, order and masks; a frame's payload ends where its message has
    ``most`` bytes. The handshake's head before them, and what is wrong with either, is left to
    whoever reads them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._head: bytes | None = b""
        self._begun = bytearray()
        self._message = self._pass = self._drop = 0

    def feed(self, data: bytes) -> bytes:
        """Take what has come; what is to be passed on."""
        out = bytearray()
        if self._head is not None:
            data = self._skip_head(data, out)
        while data:
            data = self._payload(data, out) if self._pass or self._drop else self._header(data, out)
        return bytes(out)

    def _skip_head(self, data: bytes, out: bytearray) -> bytes:
        seen = (self._head or b"") + data
        end = seen.find(_END_OF_HEAD)
        if end < 0:
            self._head = seen[-len(_END_OF_HEAD) + 1 :]
            out += data
            return b""
        rest = seen[end + len(_END_OF_HEAD) :]
        out += data[: len(data) - len(rest)]
        self._head = None
        return rest

    def _payload(self, data: bytes, out: bytearray) -> bytes:
        passed = min(self._pass, len(data))
        dropped = min(self._drop, len(data) - passed)
        out += data[:passed]
        self._pass -= passed
        self._drop -= dropped
        return data[passed + dropped :]

    def _header(self, data: bytes, out: bytearray) -> bytes:
        wanted = _header_bytes(self._begun)
        taken = data[: wanted - len(self._begun)]
        self._begun += taken
        if len(self._begun) == wanted == _header_bytes(self._begun):
            out += self._shortened(bytes(self._begun))
            self._begun.clear()
        return data[len(taken) :]

    def _shortened(self, header: bytes) -> bytes:
        length = _payload_bytes(header)
        opcode = header[0] & _OPCODE
        if opcode >= _FIRST_CONTROL:  # between the fragments of a message, and not of it
            kept = min(length, self._most)
        else:
            before = self._message if opcode == _CONTINUATION else 0
            kept = min(length, self._most - before)
            self._message = before + kept
        self._pass, self._drop = kept, length - kept
        return header if kept == length else _with_length(header, kept)


def _header_bytes(begun: bytes | bytearray) -> int:
    """How long the header is that begins so, as far as that is known: at least 2."""
    if len(begun) < 2:
        return 2
    more = {126: 2, 127: 8}.get(begun[1] & _LENGTH, 0)
    return 2 + more + (_MASK_BYTES if begun[1] & _MASKED else 0)


def _payload_bytes(header: bytes) -> int:
    short = header[1] & _LENGTH
    if short < 126:
        return short
    return int.from_bytes(header[2 : 4 if short == 126 else 10], "big")


def _with_length(header: bytes, length: int) -> bytes:
    masked = header[1] & _MASKED
    if length < 126:
        size = bytes([masked | length])
    elif length < 1 << 16:
        size = bytes([masked | 126]) + length.to_bytes(2, "big")
    else:
        size = bytes([masked | 127]) + length.to_bytes(8, "big")
    return header[:1] + size + (header[-_MASK_BYTES:] if masked else b"")
