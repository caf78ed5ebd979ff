"""The request's messages, made from the context's: pure, the context stays as heard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.config.schema import Settings

Message = dict[str, Any]

CHARS_PER_TOKEN = 3.0
"""Low on purpose: English measures 4.0 to 4.4 with SmolLM2's tokenizer, names and numbers less."""

MESSAGE_TOKENS = 8
"""Role and turn markers of a chat template, rounded up."""


MARKERS = (
    "When a sentence is true only if a tool succeeds that you call in the same answer, put it in "
    'a marker with the tool\'s name: <pending id="book_table">Your table is booked.</pending> '
    "Mark nothing else."
)
"""One tag, one attribute, the one name it knows anyway: what small models get right."""


def system_prompt(settings: Settings) -> str:
    """Who the bot is, with its name filled in, and how it marks claims if it is to."""
    prompt = settings.bot.system_prompt.replace("{name}", settings.bot.name)
    return f"{prompt} {MARKERS}" if settings.evidence.markers else prompt


@dataclass(frozen=True, slots=True)
class LeadIn:
    """What the model said before it called tools: "Let me check that."."""

    text: str
    call_ids: frozenset[str]


def place_lead_in(messages: Sequence[Message], lead_in: LeadIn) -> list[Message]:
    """Put the lead-in with its tool call.

    A quick tool answers before the lead-in has been spoken, so the context does not hold it
    yet, or holds it behind the result; the model would say it again. Unchanged where the
    user has spoken since (then only what was heard counts) or where it is in its place.
    """
    result = list(messages)
    at = next((i for i, message in enumerate(result) if _calls(message) & lead_in.call_ids), None)
    if at is None or any(message.get("role") == "user" for message in result[at:]):
        return result
    start = max((i for i in range(at) if result[i].get("role") == "user"), default=-1)
    if any(_says(message, lead_in.text) for message in result[start + 1 : at + 1]):
        return result
    tail = [message for message in result[at + 1 :] if not _says(message, lead_in.text)]
    return [*result[:at], result[at] | {"content": lead_in.text}, *tail]


def but_for(lead_in: LeadIn | None, text: str) -> LeadIn | None:
    """The lead-in without what was not spoken of it; None where nothing is left."""
    if lead_in is None:
        return None
    before, found, after = lead_in.text.partition(text.strip())
    rest = " ".join(f"{before.rstrip()} {after.lstrip()}".split()) if found else lead_in.text
    return LeadIn(rest, lead_in.call_ids) if any(map(str.isalnum, rest)) else None


def _calls(message: Message) -> set[str]:
    return {call.get("id", "") for call in message.get("tool_calls") or ()}


def _says(message: Message, text: str) -> bool:
    """An assistant message that is the text, the part of it heard so far, or holds it."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, str) or not content.strip():
        return False
    said, wanted = " ".join(content.split()), " ".join(text.split())
    return wanted.startswith(said) or wanted in said


def fit_messages(messages: Sequence[Message], budget_tokens: int) -> list[Message]:
    """The system message and the latest turns that fit; the oldest go first.

    Turns are dropped whole, so that no tool result stays without its call. The last turn
    stays even if it alone is too long: the server then says so.
    """
    system = [message for message in messages if message.get("role") in ("system", "developer")]
    turns = _turns([message for message in messages if message not in system])
    room = budget_tokens - sum(map(estimated_tokens, system))
    kept: list[Message] = []
    for turn in reversed(turns):
        room -= sum(map(estimated_tokens, turn))
        if room < 0 and kept:
            break
        kept = turn + kept
    return system + kept


def smaller_context(
    messages: Sequence[Message], known: int | None, said: int | None, answer_tokens: int
) -> int:
    """The context's size now that these messages and the answer have not fitted it.

    What the server ``said``, if that is news; else half of these messages: our estimate
    leaves out the tools, and other languages need more tokens than English.
    """
    if said is not None and (known is None or said < known):
        return said
    half = answer_tokens + sum(map(estimated_tokens, messages)) // 2
    return half if known is None else min(half, known)


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Each starts with a user's message, but for what the bot said before the first."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.get("role") == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def estimated_tokens(message: Message) -> int:
    """An upper estimate for English text."""
    content = message.get("content") or ""
    text = content if isinstance(content, str) else json.dumps(content)
    calls = json.dumps(message["tool_calls"]) if message.get("tool_calls") else ""
    return MESSAGE_TOKENS + int((len(text) + len(calls)) / CHARS_PER_TOKEN)
