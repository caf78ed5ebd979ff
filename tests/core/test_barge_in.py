"""Guards: at the user's voice the bot falls silent, then goes on or is cut, as it should."""

from __future__ import annotations

import asyncio

import pytest

from bot import hearing
from tests.core.voices import Talk, check_messages, fake_vad, talk
from tests.llm.fake_server import says

ANSWER = " ".join(f"word{number}" for number in range(15)) + "."
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
        await t.scene.until(lambda: "word14." in t.scene.heard)
        await t.until_free()
        assert t.scene.heard.split() == ANSWER.split()
        assert t.scene.transport.holes == (0, 0.0)
        assert t.said == ["Go on."]
        assert len(t.scene.server.requests) == 1
        await t.scene.end()
        assert any(m["content"] == ANSWER for m in t.messages if m["role"] == "assistant")


async def test_c08_listening_is_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "build_vad", fake_vad)
    async with asyncio.TaskGroup() as all_at_once:
        for words in ("mm-hm", "Okay.", "uh huh", "yeah"):
            all_at_once.create_task(listens(words))


async def listens(listening: str) -> None:
    async with talk(says(ANSWER), bot=QUIET) as t:
        await answering(t)
        await t.utter(listening, 0.35)
        await t.until_decided("resume")
        await t.scene.until(lambda: "word14." in t.scene.heard)
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
        check_messages(t.messages)


async def test_it_is_asked_again_once() -> None:
    async with talk(says(ANSWER), bot=QUIET) as t:
        await answering(t)
        await t.utter("", 1.0)
        await t.scene.until_event("interrupt")
        heard = len(t.scene.named("heard_text"))
        await t.scene.until_event("heard_text", heard + 1)
        await t.utter("", 1.0)
        await t.scene.until_event("interrupt", 2)
        await asyncio.sleep(1.7)
        assert t.decided("ask again") == 1
        assert len(t.scene.server.requests) == 2
        await t.utter("And now?", 0.4)
        await t.scene.until_event("llm_request", 3)
