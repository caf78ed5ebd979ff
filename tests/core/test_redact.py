"""A password in a URL and the text of an error are not shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.redact import place_of, without_password


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:secret@host:80/v1", "http://…@host:80/v1"),
        ("http://secret@host", "http://…@host"),
        ("http://user:sec@ret@host/v1", "http://…@host/v1"),
        ("at 'https://u:secret@a/v1', model x@y", "at 'https://…@a/v1', model x@y"),
        ("http://u:secret@a http://v:secret@b", "http://…@a http://…@b"),
        ("http://host/v1/@cf/model", "http://host/v1/@cf/model"),
        ("http://host?mail=a@b", "http://host?mail=…"),
        ("http://host/v1?api_key=secret", "http://host/v1?api_key=…"),
        ("http://h?key=secret&v=1;s=secret", "http://h?key=…&v=…;s=…"),
        ("http://h?secret", "http://h?…"),
        ("http://h?a=&b", "http://h?a=…&…"),
        ("http://h?k=sec=ret", "http://h?k=…"),
        ("http://h/v1?key=secret, model x", "http://h/v1?key=…, model x"),
        ("{'u': 'http://h/v1?key=secret'}", "{'u': 'http://h/v1?key=…'}"),
        ("http://h/cb#token=secret.", "http://h/cb#…."),
        ("http://u:p@h?k=secret#s", "http://…@h?k=…#…"),
        ("is it http://h/v1?", "is it http://h/v1?"),
        ("http://h/v1 # 3, what? a=b", "http://h/v1 # 3, what? a=b"),
        ("no URL: me@host", "no URL: me@host"),
    ],
)
def test_urls(text: str, shown: str) -> None:
    assert without_password(text) == shown


@given(st.text(st.characters(exclude_characters="/?#", exclude_categories=["Z", "C"])))
def test_no_password_passes(password: str) -> None:
    assert without_password(f"to http://u:{password}@host/v1.") == "to http://…@host/v1."


@given(st.text(st.characters(exclude_characters="&;#'\"<>", exclude_categories=["Z", "C"])))
def test_no_value_of_a_query_passes(value: str) -> None:
    shown = without_password(f"at http://host/v1?key=s{value}s&x=1 now")
    assert shown == "at http://host/v1?key=…&x=… now"


def test_an_errors_place() -> None:
    try:
        raise ValueError("what somebody said")
    except ValueError as error:
        shown = place_of(error)
    assert shown.startswith("ValueError at test_redact.py:")
    assert place_of(KeyError("secret")) == "KeyError"
