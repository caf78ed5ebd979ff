"""With wake phrases the bot hears nothing that was not said to it."""

from __future__ import annotations

import pytest
from pipecat.turns.user_start import WakePhraseUserTurnStartStrategy
from pydantic import ValidationError

from bot.config.schema import Settings
from bot.hearing import build_turns
from tests.turns.talk import user

pytestmark = pytest.mark.looptime

NAMED = {"wake_phrases": ["hey earshot", "computer"]}
QUESTION = "What time is it?"


async def test_what_is_not_said_to_it_is_no_turn_and_interrupts_nothing() -> None:
    async with user(**NAMED) as speaker:
        await speaker.says(QUESTION)
        await speaker.silent_for(8.0)
        assert speaker.ears.turns == []
        assert speaker.ears.interruptions == 0
        assert speaker.ears.user_messages == []


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("hey earshot", f"Hey, Earshot! {QUESTION}"),
        ("Hey, Earshot!", f"hey earshot {QUESTION}"),
        ("computer", f"So, computer: {QUESTION}"),
        ("नमस्ते कंप्यूटर", f"नमस्ते कंप्यूटर, {QUESTION}"),
    ],
)
async def test_what_is_said_to_it_is_answered(phrase: str, said: str) -> None:
    async with user(wake_phrases=[phrase]) as speaker:
        await speaker.says("That was the weather.")
        await speaker.says(said)
        await speaker.silent_for(1.0)
        assert speaker.ears.user_messages == [said]
        assert speaker.ears.requests == 1


async def test_a_name_inside_another_word_wakes_nobody() -> None:
    async with user(**NAMED) as speaker:
        await speaker.says("Supercomputers are fast.")
        await speaker.silent_for(8.0)
        assert speaker.ears.turns == []


@pytest.mark.parametrize(("pause_s", "turns"), [(8.0, 2), (13.0, 1)])
async def test_for_a_while_it_need_not_be_named_again(pause_s: float, turns: int) -> None:
    async with user(**NAMED, wake_timeout_s=10.0) as speaker:
        await speaker.says(f"Computer, {QUESTION}")
        await speaker.silent_for(pause_s)
        await speaker.says("And the date?")
        await speaker.silent_for(3.0)
        assert len(speaker.ears.turns) == turns


async def test_what_follows_the_name_is_waited_for() -> None:
    async with user(**NAMED) as speaker:
        await speaker.says("Hey Earshot, my number is 0 4 1")
        await speaker.silent_for(2.0)
        await speaker.says("5 5 5, that's it.")
        await speaker.silent_for(1.0)
        assert speaker.ears.turns == ["Hey Earshot, my number is 0 4 1 5 5 5, that's it."]


def test_the_phrases_come_before_every_other_start() -> None:
    settings = Settings.model_validate({"turn": NAMED, "barge_in": {"policy": "never"}})
    starts = build_turns(settings).start or []
    assert isinstance(starts[0], WakePhraseUserTurnStartStrategy)
    assert not any(start._enable_interruptions for start in starts)
    assert len(build_turns(Settings()).start or []) == 2


def test_a_phrase_without_letters_would_always_be_heard() -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"turn": {"wake_phrases": ["!?"]}})
