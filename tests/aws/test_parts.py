"""Frames come out of parts as they went in, however they were cut."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from speech.engines.aws.parts import PartJoiner


@st.composite
def _cut(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    data = draw(
        st.one_of(
            st.binary(max_size=60), st.text("a\u00e9\u4f60\U0001f60a", max_size=20).map(str.encode)
        )
    )
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=6)))
    return data, [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_cut(), max_size=4), st.sampled_from(["UTF8", "BINARY", None]))
def test_every_cut_gives_the_frame(frames: list[tuple[bytes, list[bytes]]], kind: str) -> None:
    joiner = PartJoiner()
    for data, pieces in frames:
        try:
            expected: str | bytes = data.decode() if kind == "UTF8" else data
        except UnicodeDecodeError:
            continue
        for piece in pieces[:-1]:
            assert joiner.take(piece, kind, is_last=False) is None
        assert joiner.take(pieces[-1], kind, is_last=True) == expected


def test_the_first_part_says_what_it_is() -> None:
    joiner = PartJoiner()
    joiner.take(b"a", "UTF8", is_last=False)
    assert joiner.take(b"b", None, is_last=True) == "ab"
    assert joiner.take(b"{}", None, is_last=True) == b"{}"


def test_what_is_too_large_or_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="over 4 bytes"):
        PartJoiner(4).take(b"12345", "BINARY", is_last=False)
    with pytest.raises(ValueError, match="UTF-8"):
        PartJoiner().take(b"\xff", "UTF8", is_last=True)
