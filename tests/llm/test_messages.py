"""What is sent holds each lead-in once, with its call, and fits the context."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.schema import Settings
from bot.llm.messages import (
    LeadIn,
    but_for,
    estimated_tokens,
    fit_messages,
    place_lead_in,
    smaller_context,
    system_prompt,
)

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Stock?"}
TOOL = {"role": "tool", "content": "12", "tool_call_id": "c1"}
LEAD = LeadIn("Let me check that.", frozenset({"c1"}))


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calling(**more: Any) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": "c1"}], **more}


FULL = [SYSTEM, USER, calling(content=LEAD.text), TOOL]


def test_not_yet_spoken() -> None:
    assert place_lead_in([SYSTEM, USER, calling(), TOOL], LEAD) == FULL


def test_stored_behind_the_result() -> None:
    assert place_lead_in([SYSTEM, USER, calling(), TOOL, said(LEAD.text)], LEAD) == FULL


def test_partly_stored_behind_the_result() -> None:
    assert place_lead_in([SYSTEM, USER, calling(), TOOL, said("Let me")], LEAD) == FULL


def test_already_in_front() -> None:
    messages = [SYSTEM, USER, said(LEAD.text), calling(), TOOL]
    assert place_lead_in(messages, LEAD) == messages


def test_the_same_words_in_an_earlier_turn_do_not_count() -> None:
    earlier = [USER, said(LEAD.text)]
    assert place_lead_in([*earlier, USER, calling(), TOOL], LEAD) == [*earlier, *FULL[1:]]


def test_once_the_user_has_spoken_only_what_was_heard_counts() -> None:
    messages = [SYSTEM, USER, calling(), TOOL, said("Let me"), {"role": "user", "content": "Stop"}]
    assert place_lead_in(messages, LEAD) == messages


def test_a_call_that_is_not_there() -> None:
    assert place_lead_in([SYSTEM, USER], LEAD) == [SYSTEM, USER]


messages = st.lists(
    st.one_of(
        st.builds(lambda text: {"role": "user", "content": text}, st.text(max_size=90)),
        st.builds(said, st.text(max_size=90)),
        st.just(calling()),
        st.just(TOOL),
    ),
    max_size=20,
)


@given(messages, st.integers(0, 400))
def test_what_is_kept_is_the_system_message_and_an_unbroken_end(
    talk: list[dict[str, Any]], budget: int
) -> None:
    kept = fit_messages([SYSTEM, *talk], budget)
    assert kept[0] == SYSTEM
    assert kept[1:] == talk[len(talk) - len(kept) + 1 :]
    dropped = len(talk) - len(kept) + 1
    if dropped:
        assert kept[1]["role"] == "user"
    turns = sum(message["role"] == "user" for message in kept)
    if turns > 1:
        assert sum(map(estimated_tokens, kept)) <= budget


def test_the_last_turn_stays_however_long() -> None:
    long = {"role": "user", "content": "x" * 9000}
    assert fit_messages([SYSTEM, USER, said("Yes."), long], 100) == [SYSTEM, long]


@pytest.mark.parametrize(
    ("known", "said", "size"),
    [
        (None, 4096, 4096),
        (8192, 4096, 4096),
        (4096, 4096, 100 + 1004),
        (4096, None, 100 + 1004),
        (None, None, 100 + 1004),
        (900, None, 900),
    ],
)
def test_the_context_is_as_small_as_the_server_says_or_half_of_what_it_refused(
    known: int | None, said: int | None, size: int
) -> None:
    sent = [{"role": "user", "content": "x" * 6000}]
    assert smaller_context(sent, known, said, answer_tokens=100) == size


def test_words_of_the_gate_beside_the_lead_in_do_not_double_it() -> None:
    messages = [USER, said("Let me check that. I could not confirm that yet."), calling(), TOOL]
    assert place_lead_in(messages, LEAD) == messages


@pytest.mark.parametrize(
    ("withheld", "left"),
    [
        ("Your table is booked.", "Let me see. Bye."),
        ("Let me see.", "Your table is booked. Bye."),
        ("Something else.", "Let me see. Your table is booked. Bye."),
        ("Let me see. Your table is booked. Bye.", None),
    ],
)
def test_a_lead_in_without_what_was_withheld(withheld: str, left: str | None) -> None:
    whole = LeadIn("Let me see. Your table is booked. Bye.", frozenset({"c1"}))
    rest = but_for(whole, withheld)
    assert (rest and rest.text) == left
    assert but_for(None, withheld) is None


def test_markers_are_taught_only_where_they_are_read() -> None:
    assert "<pending" not in system_prompt(Settings())
    assert "<pending" in system_prompt(Settings.model_validate({"evidence": {"markers": True}}))
