"""Guards: at the user's voice the bot falls silent, then goes on or is cut, as it should."""

from __future__ import annotations

import asyncio

import pytest

from tests.core.voices import Talk, check_messages, talk
from tests.llm.fake_server import says

ANSWER = " ".join(f"word{number}" for number in range(30)) + "."
QUIET = {"greeting": ""}


async def answering(t: Talk, words: int = 3) -> None:
    await t.scene.until_event("session_start")
    await t.scene.hear("Go on.")
    await t.scene.until_event("heard_text", words)


async def test_a_cough_lets_the_answer_go_on_from_the_same_sample() -> None:
    async with talk(says(ANSWER), bot=QUIET) as t:
        await answering(t)
        await t.utter("", 0.2)
        await t.until_decided("resume")
        await t.scene.until(lambda: "word29." in t.scene.heard)
        await t.until_free()
        assert t.scene.heard.split() == ANSWER.split()
        assert t.scene.transport.holes == (0, 0.0)
        assert t.said == ["Go on."]
        assert len(t.scene.server.requests) == 1
        await t.scene.end()
        assert any(m["content"] == ANSWER for m in t.messages if m["role"] == "assistant")


@pytest.mark.parametrize("listening", ["mm-hm", "Okay.", "uh huh", "yeah"])
async def test_c08_listening_is_no_turn(listening: str) -> None:
    async with talk(says(ANSWER), bot=QUIET) as t:
        await answering(t)
        await t.utter(listening, 0.35)
        await t.until_decided("resume")
        await t.scene.until(lambda: "word29." in t.scene.heard)
        await t.until_free()
        assert t.scene.heard.split() == ANSWER.split()
        assert t.said == ["Go on."]
        assert len(t.scene.server.requests) == 1
        await t.utter("What is next?", 0.5)
        await t.scene.until_event("llm_request", 2)
        await t.scene.until(lambda: len(t.said) == 2)


async def test_stop_cuts() -> None:
    async with talk(says(ANSWER), says("Fine."), bot=QUIET) as t:
        await answering(t)
        await t.utter("Stop.", 0.4)
        await t.scene.until_event("interrupt")
        await t.scene.until(lambda: "Fine." in t.scene.heard)
        await t.until_free()
        assert t.said == ["Go on.", "Stop."]
        check_messages(t.messages)


async def test_a_long_noise_without_words_is_answered_after_all_once() -> None:
    async with talk(says(ANSWER), says("More of it."), bot=QUIET) as t:
        await answering(t)
        await t.utter("", 1.0)
        await t.scene.until_event("interrupt")
        await t.until_decided("ask again")
        await t.scene.until(lambda: "More of it." in t.scene.heard)
        await t.until_free()
        assert t.said == ["Go on."]
        await t.utter("", 1.0)
        await asyncio.sleep(2)
        assert t.decided("ask again") == 1
