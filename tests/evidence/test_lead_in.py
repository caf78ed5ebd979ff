"""Guards: a lead-in is not held back, and whatever may be a claim is not taken for one."""

from __future__ import annotations

import pytest

from speech.evidence.lead_in import is_claim, is_lead_in

LEAD_INS = """Let me check that.
Sure, let me check that for you.
Okay.
Sure thing!
One moment, please.
Just a second.
I'll look that up for you.
I’ll just check.
I'm checking the calendar now.
Of course! Let me see.
Hold on, please.
Please hold on.
Checking…
Okay, give me a moment while I look at the schedule.
Let's find out."""

CLAIMS = """Your table is booked.
Yes.
Right.
Sure, your table is booked.
I have checked it.
I'll book it for you.
Let me tell you: it is done.
It takes one moment.
Let me check. Your table is booked.
Let me see, your table for two is booked for seven tomorrow and they expect you there.
The checking account is closed.
12
Moment mal, ich schaue nach."""


@pytest.mark.parametrize("text", LEAD_INS.splitlines())
def test_lead_in(text: str) -> None:
    assert is_lead_in(text)
    assert not is_claim(text)


@pytest.mark.parametrize("text", CLAIMS.splitlines())
def test_claim(text: str) -> None:
    assert not is_lead_in(text)
    assert is_claim(text)


@pytest.mark.parametrize("text", ["Shall I check?", "Which table?", "…", "", "  \n"])
def test_neither(text: str) -> None:
    assert not is_lead_in(text)
    assert not is_claim(text)
