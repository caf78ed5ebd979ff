"""Version 0 is the reference's protocol: its clients' messages are read as it reads them."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.wire import (
    Close,
    Code,
    Hello,
    SynthesisComplete,
    SynthesisError,
    SynthesisStart,
    Synthesize,
    Version0Error,
    WireError,
    encode,
    parse_client_0,
    parse_server_0,
)
from tests.wire.messages import STEADY, near_misses, values


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"text": "Hi."}, Synthesize("Hi.")),
        (
            {
                "text": "Hi.",
                "voice": "am_adam",
                "speed": 1,
                "request_id": "r1",
                "sample_rate": 8000,
            },
            Synthesize("Hi.", "am_adam", 1.0, "r1", 8000),
        ),
        ({"text": "Hi.", "request_id": 7}, Synthesize("Hi.", request_id=7)),
        ({"text": "Hi.", "request_id": None}, Synthesize("Hi.")),
        ({"text": "Hi.", "request_id": {"a": 1}}, Synthesize("Hi.")),
        ({"text": "Hi.", "request_id": True}, Synthesize("Hi.")),
        ({"text": "Hi.", "request_timestamp": 1.5}, Synthesize("Hi.", request_timestamp=1.5)),
        ({"text": "Hi.", "type": "synthesize"}, Synthesize("Hi.")),
        ({"type": "close"}, Close()),
        ({"type": "hello", "version": 1}, Hello(1)),
    ],
)
def test_a_message_is_read(message: dict[str, object], read: object) -> None:
    raw = json.dumps(message)
    assert parse_client_0(raw) == read
    assert parse_client_0(raw.encode()) == read


@pytest.mark.parametrize(
    ("message", "code", "request_id"),
    [
        ({}, Code.BAD_FIELD, "unknown"),
        ({"text": "", "request_id": "r1"}, Code.BAD_FIELD, "r1"),
        ({"text": 5, "request_id": "r1"}, Code.BAD_FIELD, "r1"),
        ({"text": "Hi.", "speed": "fast", "request_id": "r1"}, Code.BAD_FIELD, "r1"),
        ({"type": "speak", "id": "u1", "text": "Hi."}, Code.WRONG_ORDER, "unknown"),
        ({"type": "credit", "ms": 5}, Code.WRONG_ORDER, "unknown"),
    ],
)
def test_a_fault_names_its_request(message: object, code: Code, request_id: str) -> None:
    with pytest.raises(Version0Error) as caught:
        parse_client_0(json.dumps(message))
    assert (caught.value.code, caught.value.request_id) == (code, request_id)


def test_the_reference_words_for_no_text() -> None:
    with pytest.raises(WireError, match=r"^text required$"):
        parse_client_0('{"voice":"af_heart"}')


def test_a_hello_of_another_version_is_refused() -> None:
    with pytest.raises(WireError) as caught:
        parse_client_0('{"type":"hello","version":9}')
    assert caught.value.code is Code.WRONG_VERSION


@STEADY
@given(st.text() | st.binary() | near_misses.map(json.dumps) | values.map(json.dumps))
def test_anything_else_is_a_wire_error(raw: str | bytes) -> None:
    for parse in (parse_client_0, parse_server_0):
        with contextlib.suppress(WireError):
            parse(raw)


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        (SynthesisStart("r1"), {"type": "synthesis_start", "request_id": "r1"}),
        (
            SynthesisComplete("r1", 1.525, 0.158),
            {
                "type": "synthesis_complete",
                "request_id": "r1",
                "total_duration_s": 1.525,
                "elapsed_s": 0.158,
            },
        ),
        (
            SynthesisError("unknown", "text required"),
            {"type": "error", "request_id": "unknown", "message": "text required"},
        ),
    ],
)
def test_the_server_says_what_the_reference_says(message: object, fields: object) -> None:
    assert json.loads(encode(message)) == fields
    assert parse_server_0(encode(message)) == message


def test_a_number_that_is_no_number_when_it_is_repeated_is_not() -> None:
    assert parse_client_0('{"text":"Hi.","request_id":1e400}') == Synthesize("Hi.")
