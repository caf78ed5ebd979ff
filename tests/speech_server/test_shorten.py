"""What a client sends is passed on as it is, but for what makes a message too long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from server.speech.shorten import MOST_CONTROL_BYTES, Shortener

MOST = 300
HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
Message = list[bytes]  # its fragments

PAYLOADS = st.one_of(
    st.binary(max_size=8),
    st.sampled_from([125, 126, MOST - 1, MOST, MOST + 1]).map(lambda n: b"x" * n),
)
MESSAGES = st.lists(st.lists(PAYLOADS, min_size=1, max_size=4), max_size=4)


def frames_of(messages: list[Message]) -> Iterator[Frame]:
    """With a ping between any two fragments."""
    for pieces in messages:
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            yield Frame(Opcode.CONT if number else Opcode.BINARY, piece, last)
            yield Frame(Opcode.PING, b"p" * MOST_CONTROL_BYTES)


def read(data: bytes, most: int) -> tuple[list[bytes], int]:
    """The messages, and the pings, that a library makes of the bytes of an open connection."""
    protocol = ServerProtocol(max_size=most + MOST_CONTROL_BYTES)
    protocol.state = protocol.state.OPEN
    protocol.parser = protocol.parse()
    next(protocol.parser)
    protocol.receive_data(data)
    messages: list[bytes] = []
    pings = 0
    for frame in protocol.events_received():
        assert isinstance(frame, Frame)
        if frame.opcode is Opcode.PING:
            pings += 1
        elif frame.opcode is Opcode.BINARY:
            messages.append(bytes(frame.data))
        else:
            messages[-1] += bytes(frame.data)
    assert protocol.parser_exc is None
    return messages, pings


@given(MESSAGES, st.integers(1, 700))
def test_each_message_is_itself_or_its_beginning(messages: list[Message], step: int) -> None:
    check(messages, step, MOST)


@pytest.mark.parametrize("most", [125, 126, 65_535, 65_536, 100_000])
def test_however_its_length_is_written(most: int) -> None:
    for length in (most - 1, most, most + 1, 300_000):
        check([[b"x" * length], [b"y" * (most - 1), b"z" * length]], 7_001, most)


def check(messages: list[Message], step: int, most: int) -> None:
    data = HEAD + b"".join(frame.serialize(mask=True) for frame in frames_of(messages))
    shortener = Shortener(most)
    passed = b"".join(shortener.feed(data[at : at + step]) for at in range(0, len(data), step))
    assert passed.startswith(HEAD)
    heard, pings = read(passed[len(HEAD) :], most)
    assert heard == [b"".join(pieces)[:most] for pieces in messages]
    assert pings == sum(len(pieces) for pieces in messages)


def test_what_fits_is_passed_on_to_the_byte_whatever_the_cut() -> None:
    messages = [[b"a" * MOST], [b"bc", b"", b"d" * 200], [b""]]
    data = HEAD + b"".join(frame.serialize(mask=True) for frame in frames_of(messages))
    for cut in range(len(data)):
        shortener = Shortener(MOST)
        assert shortener.feed(data[:cut]) + shortener.feed(data[cut:]) == data


def test_little_is_kept_of_a_message_without_end() -> None:
    shortener = Shortener(MOST)
    shortener.feed(HEAD)
    frame = Frame(Opcode.TEXT, b"x" * 100_000).serialize(mask=True)
    header = frame[:2] + (2**62).to_bytes(8, "big") + frame[10:14]
    passed = len(shortener.feed(header)) + sum(len(shortener.feed(frame)) for _ in range(100))
    assert passed <= MOST + 14
