"""Strategies: every message of the protocol, and things that are none."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from speech.wire import (
    SAMPLE_RATES,
    Busy,
    Cancel,
    Cancelled,
    Close,
    Closed,
    Code,
    Credit,
    Done,
    Draining,
    Error,
    Hello,
    Limits,
    Ping,
    Pong,
    Ready,
    Speak,
    SpokenWord,
    Started,
    Words,
)

STEADY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ids = texts.filter(lambda text: text not in ("", "all"))
counts = st.integers(0, 2**40)
seconds = st.floats(0, 1e6)
rates = st.sampled_from(SAMPLE_RATES)
voices = st.none() | st.sampled_from(["af_heart", "af_heart(2)+am_adam"])
speeds = st.none() | st.floats(0.5, 2.0)
millis = st.integers(0, 3_600_000)
reasons = st.sampled_from(["client_closed", "idle", "session_age", "draining"])

client_messages = st.one_of(
    st.builds(
        Hello,
        st.just(1),
        sample_rate=rates,
        voice=voices,
        speed=speeds,
        credit_ms=st.none() | millis,
    ),
    st.builds(Speak, ids, texts, voice=voices, speed=speeds, deadline_ms=st.none() | millis),
    st.builds(Cancel, ids | st.just("all")),
    st.builds(Credit, millis),
    st.builds(Ping, st.none() | texts),
    st.just(Close()),
)
server_messages = st.one_of(
    st.builds(
        Ready,
        st.just(1),
        texts,
        rates,
        st.lists(rates).map(tuple),
        st.lists(texts).map(tuple),
        st.builds(Limits, counts, counts, counts, counts, seconds, seconds),
    ),
    st.builds(Started, ids, st.integers(1, 2**32 - 1)),
    st.builds(
        Words, ids, st.lists(st.builds(SpokenWord, texts, counts, counts), max_size=4).map(tuple)
    ),
    st.builds(Done, ids, seconds, seconds, counts),
    st.builds(Cancelled, ids, seconds),
    st.builds(
        Error,
        st.sampled_from(Code).map(str),
        texts,
        st.booleans(),
        st.none() | ids,
    ),
    st.builds(Busy, ids, seconds, st.sampled_from(["queue_full", "capacity", "draining"])),
    st.builds(Pong, st.none() | texts),
    st.builds(Draining, seconds, reasons),
    st.builds(Closed, reasons, counts),
)

_scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from([1, 24_000, "all", "u1", "hello", "speak"]),
)
values = (
    _scalars
    | st.lists(_scalars, max_size=3)
    | st.dictionaries(st.text(max_size=5), _scalars, max_size=3)
)
_kinds = st.sampled_from(["hello", "speak", "cancel", "credit", "ping", "close", "ready", "words"])
_names = st.sampled_from(
    ["id", "text", "voice", "speed", "version", "ms", "nonce", "sample_rate", "words", "code"]
)
near_misses = st.builds(
    lambda kind, fields: {"type": kind} | fields, _kinds, st.dictionaries(_names, values)
)
"""Objects of a known type whose fields hold anything."""
