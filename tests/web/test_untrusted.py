"""Whatever a stranger sends for JSON, the reader gives a value or its one error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.untrusted import NotJsonError, read_json

LIMIT = 100_000
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_is_read(value: object) -> None:
    assert read_json(json.dumps(value), LIMIT) == value
    assert read_json(json.dumps(value).encode(), LIMIT) == value


@given(st.text() | st.binary())
def test_anything_else_is_one_error(text: str | bytes) -> None:
    try:
        read_json(text, LIMIT)
    except NotJsonError:
        return


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("encode", [str, str.encode])
def test_deep_nesting_is_that_error_too(opening: str, encode: type[str]) -> None:
    with pytest.raises(NotJsonError):
        read_json(encode(opening * 15_000), LIMIT)


@pytest.mark.parametrize("text", [b"\xff\xfe\x00", b"\xef\xbb", "9" * 5_000, ""])
def test_so_are_bad_encodings_and_endless_numbers(text: str | bytes) -> None:
    with pytest.raises(NotJsonError):
        read_json(text, LIMIT)


def test_the_limit_is_inclusive() -> None:
    assert read_json("1234", 4) == 1234
    with pytest.raises(NotJsonError, match="too long"):
        read_json(b"12345", 4)
