"""Guards: only so many voices are kept, and those used last."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from speech.kokoro.recent import Recent

MOST = 3


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["get", "put"]), st.sampled_from("abcdef"))))
def test_those_used_last_are_kept(steps: list[tuple[str, str]]) -> None:
    recent: Recent[str] = Recent(MOST)
    used: list[str] = []  # the kept ones, longest unused first
    for what, name in steps:
        if what == "get":
            assert recent.get(name) == (name if name in used else None)
            if name in used:
                used = [*(n for n in used if n != name), name]
        else:
            used = [*(n for n in used if n != name), name]
            assert recent.put(name, name) == used[:-MOST]
            used = used[-MOST:]
    assert recent.take_all() == used
    assert recent.take_all() == []
