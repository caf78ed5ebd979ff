"""Every message survives the wire, and whatever else comes has one answer."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from speech.wire import (
    MAX_MESSAGE_BYTES,
    Cancel,
    ClientMessage,
    Code,
    Hello,
    ServerMessage,
    Speak,
    WireError,
    encode,
    parse_client,
    parse_server,
)
from tests.wire.messages import STEADY, client_messages, near_misses, server_messages, values


@STEADY
@given(client_messages)
def test_a_clients_message_comes_back(message: ClientMessage) -> None:
    raw = encode(message)
    assert parse_client(raw) == message
    assert parse_client(raw.encode()) == message


@STEADY
@given(server_messages)
def test_a_servers_message_comes_back(message: ServerMessage) -> None:
    assert parse_server(encode(message)) == message


@STEADY
@given(client_messages, st.sampled_from([None, 0, "x", [1], {"type": "close"}]))
def test_fields_of_a_later_day_are_passed_over(message: ClientMessage, value: object) -> None:
    assert parse_client(json.dumps(json.loads(encode(message)) | {"later": value})) == message


@STEADY
@given(st.text() | st.binary() | near_misses.map(json.dumps) | values.map(json.dumps))
@example("[" * 100_000)
@example('{"type":' * 20_000)
@example("9" * 100_000)
@example('{"type":"speak","id":"u","text":"\ud800"}')
@example(b'{"type":"speak","id":"u","text":"\xed\xa0\x80"}')
def test_anything_else_is_a_wire_error(raw: str | bytes) -> None:
    for parse in (parse_client, parse_server):
        with contextlib.suppress(WireError):
            encode(parse(raw))


SPEAK = {"type": "speak", "id": "u1", "text": "Hello."}

ROWS: list[tuple[str, str | bytes, Code, str | None]] = [
    ("not UTF-8", b"\xff\xfe", Code.BAD_ENCODING, None),
    ("a half character in the text of a frame", "\ud800", Code.BAD_ENCODING, None),
    ("empty", "", Code.BAD_JSON, None),
    ("cut", '{"type":', Code.BAD_JSON, None),
    ("two in one", '{"type":"close"}{"type":"close"}', Code.BAD_JSON, None),
    ("NaN", '{"type":"speak","id":"u1","text":"x","speed":NaN}', Code.BAD_JSON, None),
    ("nested", "[" * 10_000, Code.BAD_JSON, None),
    ("a half character", json.dumps(SPEAK | {"text": "\ud800"}), Code.BAD_JSON, None),
    ("a huge number", '{"type":"credit","ms":' + "1" * 5000 + "}", Code.BAD_JSON, None),
    ("an array", "[]", Code.NOT_AN_OBJECT, None),
    ("a string", '"close"', Code.NOT_AN_OBJECT, None),
    ("null", "null", Code.NOT_AN_OBJECT, None),
    ("too long", " " * (MAX_MESSAGE_BYTES + 1), Code.OVERSIZE, None),
    ("too long as bytes only", '"' + "é" * (MAX_MESSAGE_BYTES // 2) + '"', Code.OVERSIZE, None),
    ("no type", '{"id":"u1"}', Code.UNKNOWN_TYPE, "u1"),
    ("a type of the server", '{"type":"done","id":"u1"}', Code.UNKNOWN_TYPE, "u1"),
    ("a type that is no string", '{"type":["speak"]}', Code.UNKNOWN_TYPE, None),
    ("a version to come", '{"type":"hello","version":2}', Code.WRONG_VERSION, None),
    ("version 0 has no hello", '{"type":"hello","version":0}', Code.WRONG_VERSION, None),
    ("a version in words", '{"type":"hello","version":"1"}', Code.BAD_FIELD, None),
    ("true is no version", '{"type":"hello","version":true}', Code.BAD_FIELD, None),
    ("no version", '{"type":"hello"}', Code.BAD_FIELD, None),
    ("a rate there is not", '{"type":"hello","version":1,"sample_rate":1}', Code.BAD_FIELD, None),
    ("no text", '{"type":"speak","id":"u1"}', Code.BAD_FIELD, "u1"),
    ("text that is none", json.dumps(SPEAK | {"text": 5}), Code.BAD_FIELD, "u1"),
    ("no id", '{"type":"speak","text":"x"}', Code.BAD_FIELD, None),
    ("an empty id", json.dumps(SPEAK | {"id": ""}), Code.BAD_FIELD, None),
    ("the id of every unit", json.dumps(SPEAK | {"id": "all"}), Code.BAD_FIELD, None),
    ("an id too long", json.dumps(SPEAK | {"id": "u" * 129}), Code.BAD_FIELD, None),
    ("an id that is a number", json.dumps(SPEAK | {"id": 7}), Code.BAD_FIELD, None),
    ("too fast", json.dumps(SPEAK | {"speed": 2.5}), Code.BAD_FIELD, "u1"),
    ("infinite speed", '{"type":"speak","id":"u1","text":"","speed":1e999}', Code.BAD_FIELD, "u1"),
    ("speed in words", json.dumps(SPEAK | {"speed": "1.0"}), Code.BAD_FIELD, "u1"),
    ("a deadline in the past", json.dumps(SPEAK | {"deadline_ms": -1}), Code.BAD_FIELD, "u1"),
    ("credit taken back", '{"type":"credit","ms":-5}', Code.BAD_FIELD, None),
    ("credit by halves", '{"type":"credit","ms":0.5}', Code.BAD_FIELD, None),
    ("cancel nothing", '{"type":"cancel"}', Code.BAD_FIELD, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "code", "unit_id"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_each_fault_has_its_code(raw: str | bytes, code: Code, unit_id: str | None) -> None:
    with pytest.raises(WireError) as caught:
        parse_client(raw)
    assert (caught.value.code, caught.value.unit_id) == (code, unit_id)


def test_an_error_does_not_repeat_what_was_said() -> None:
    with pytest.raises(WireError) as caught:
        parse_client('{"type":"speak","id":"u1","text":["my secret"],"voice":7}')
    assert "secret" not in str(caught.value)
    assert "text" in str(caught.value)


def test_whole_numbers_will_do_for_speed() -> None:
    assert parse_client(json.dumps(SPEAK | {"speed": 1})) == Speak("u1", "Hello.", speed=1.0)


def test_null_is_a_field_left_out() -> None:
    raw = '{"type":"hello","version":1,"voice":null,"credit_ms":null}'
    assert parse_client(raw) == Hello(1)
    assert "null" not in encode(Hello(1))


def test_halves_of_a_character_in_two_escapes_are_one() -> None:
    raw = json.dumps(SPEAK | {"text": "\U0001f600"})
    assert "\\ud83d" in raw
    assert parse_client(raw) == Speak("u1", "\U0001f600")


def test_every_unit_may_be_cancelled_at_once() -> None:
    assert parse_client('{"type":"cancel","id":"all"}') == Cancel("all")


def test_a_session_may_have_a_smaller_limit() -> None:
    with pytest.raises(WireError) as caught:
        parse_client('{"type":"ping","nonce":"0123456789"}', limit=20)
    assert caught.value.code is Code.OVERSIZE
