"""A pause inside a number, a spelling, an address or a sentence does not end the turn."""

from __future__ import annotations

import pytest

from processors.turn_patience import TalkKey
from tests.turns.talk import user

pytestmark = pytest.mark.looptime

PATIENCE_S = 2.5
SILENCE_S = 0.8


@pytest.mark.parametrize(
    "pieces",
    [
        ["My number is 0 4 1", "5 5 5", "0 1 2 3."],
        ["zero four one", "five five five", "zero one", "two three"],
        ["It is J O H N", "S M I T H."],
        ["My email is", "john smith", "at example", "dot com."],
        ["I would like to", "book a table for", "two people."],
    ],
)
async def test_an_utterance_with_pauses_is_one_turn(pieces: list[str]) -> None:
    async with user() as speaker:
        for piece in pieces[:-1]:
            await speaker.says(piece)
            await speaker.silent_for(2.0)
        await speaker.says(pieces[-1])
        await speaker.answered_after()
        assert speaker.ears.turns == [" ".join(pieces)]
        assert speaker.ears.user_messages == [" ".join(pieces)]


@pytest.mark.parametrize(
    ("text", "wait_s"),
    [
        ("My number is 0 4 1", PATIENCE_S),
        ("Because", PATIENCE_S),
        ("0 4 1 5 5 5 0 1 2 3", PATIENCE_S / 2),
        ("My number is 0 4 1, that's it.", SILENCE_S),
        ("What time is it?", SILENCE_S),
    ],
)
async def test_the_silence_that_ends_a_turn(text: str, wait_s: float) -> None:
    async with user() as speaker:
        await speaker.says(text)
        assert await speaker.answered_after() == pytest.approx(wait_s, abs=0.02)


@pytest.mark.parametrize("policy", ["push_to_talk", "natural"])
async def test_who_holds_the_talk_key_keeps_the_turn_where_it_is_talked_with(policy: str) -> None:
    key = TalkKey()
    async with user(policy, key) as speaker:
        key.press(down=True)
        await speaker.says("What time is it?")
        await speaker.silent_for(2.0)
        assert speaker.ears.requests == (policy == "natural")
        await speaker.says("In Paris.")
        key.press(down=False)
        await speaker.answered_after()
        said = ["What time is it?", "In Paris."]
        assert speaker.ears.turns == (said if policy == "natural" else [" ".join(said)])


async def test_the_key_that_goes_up_in_silence_ends_the_turn() -> None:
    key = TalkKey()
    async with user("push_to_talk", key) as speaker:
        key.press(down=True)
        await speaker.says("What time is it?")
        await speaker.silent_for(3.0)
        key.press(down=False)
        assert await speaker.answered_after() == pytest.approx(3.0, abs=0.02)


async def test_the_patience_costs_nothing_on_top_of_a_slow_recogniser() -> None:
    async with user() as speaker:
        await speaker.says("My number is 0 4 1", recognised_after_s=2.0)
        assert await speaker.answered_after() == pytest.approx(PATIENCE_S, abs=0.02)


async def test_after_the_patience_a_late_transcript_is_answered_at_once() -> None:
    async with user(max_wait_s=10) as speaker:
        await speaker.begins()
        await speaker.ends()
        await speaker.silent_for(4.0)
        assert speaker.ears.requests == 0
        await speaker.final("My number is 0 4 1")
        assert speaker.ears.requests == 1


async def test_what_was_said_last_decides() -> None:
    """The words that close a number end the wait that the number began."""
    async with user() as speaker:
        await speaker.says("0 4 1")
        await speaker.silent_for(1.5)
        await speaker.says("That's it.")
        assert await speaker.answered_after() == pytest.approx(SILENCE_S, abs=0.02)
        assert speaker.ears.turns == ["0 4 1 That's it."]


async def test_a_noise_in_the_pause_begins_the_wait_anew() -> None:
    async with user() as speaker:
        await speaker.says("0 4 1")
        await speaker.silent_for(2.0)
        await speaker.begins()
        await speaker.silent_for(4.0)
        assert speaker.ears.turns == []
        await speaker.ends()
        await speaker.nothing_heard()
        assert speaker.ears.turns == []
        assert await speaker.answered_after() == pytest.approx(PATIENCE_S, abs=0.02)


async def test_partial_words_are_enough_to_wait_for() -> None:
    async with user() as speaker:
        await speaker.begins()
        await speaker.ends()
        await speaker.final("My number is")
        await speaker.partial("0 4 1 5 5 5 0 1 2 3")
        assert await speaker.answered_after() == pytest.approx(PATIENCE_S / 2, abs=0.02)


async def test_the_bots_question_is_heeded_until_it_is_answered() -> None:
    async with user() as speaker:
        question = "What is your telephone number?"
        speaker.ears.context.add_message({"role": "assistant", "content": question})
        await speaker.says("555")
        assert await speaker.answered_after() == pytest.approx(PATIENCE_S, abs=0.02)
        await speaker.says("555")
        assert await speaker.answered_after() == pytest.approx(SILENCE_S, abs=0.02)


async def test_the_longest_wait_ends_it_in_any_case() -> None:
    async with user(patience_s=30, max_wait_s=3) as speaker:
        await speaker.says("My number is 0 4 1")
        assert await speaker.answered_after() == pytest.approx(3.0, abs=0.02)


async def test_without_patience() -> None:
    async with user(patience_s=0) as speaker:
        await speaker.says("My number is 0 4 1")
        assert await speaker.answered_after() == pytest.approx(SILENCE_S, abs=0.02)


async def test_the_words_of_the_last_turn_are_forgotten() -> None:
    async with user() as speaker:
        await speaker.says("0 4 1")
        await speaker.answered_after()
        await speaker.says("Yes.")
        assert await speaker.answered_after() == pytest.approx(SILENCE_S, abs=0.02)
