"""Voice and ears are loaded once for all conversations whose settings ask for the same."""

from __future__ import annotations

from typing import Any

import pytest

from bot.config.schema import Settings
from bot.senses import Senses
from tests.processors.fake_engine import FakeEngine


class FakeRecogniser:
    def __init__(self) -> None:
        self.closed = False

    async def aclose(self) -> None:
        self.closed = True


def settings(**sections: Any) -> Settings:
    return Settings.model_validate(sections)


@pytest.fixture
def senses(monkeypatch: pytest.MonkeyPatch) -> Senses:
    async def opened(_settings: Settings) -> FakeRecogniser:
        return FakeRecogniser()

    monkeypatch.setattr("bot.senses.build_voice", lambda *_: FakeEngine())
    monkeypatch.setattr("bot.senses.open_recogniser", opened)
    return Senses(settings(), print)


@pytest.mark.parametrize(
    ("sections", "same"),
    [
        ({}, True),
        ({"bot": {"greeting": "Hi."}, "llm": "embedded", "turn": {"max_wait_s": 9}}, True),
        ({"tts": {"voice": "am_adam"}}, False),
        ({"stt": {"threads": 2}}, False),
        ({"say": {"km": "kilometres"}}, False),
        ({"turn": {"end": "silence"}}, False),
    ],
)
def test_which_settings_they_serve(senses: Senses, sections: dict[str, Any], same: bool) -> None:
    assert senses.serve(settings(**sections)) is same


async def test_a_text_is_synthesised_once_and_only_ones_own_are_given(senses: Senses) -> None:
    first = settings(bot={"greeting": "Hi.", "goodbye": "Bye.", "apology": "One. Two."})
    phrases, apology = await senses.phrases(first)
    assert apology == ["One.", "Two."]
    assert set(phrases) == {"Hi.", "Bye.", "One.", "Two."}
    second = settings(bot={"greeting": "Ho.", "goodbye": "Bye.", "apology": "One. Two."})
    phrases, _ = await senses.phrases(second)
    assert set(phrases) == {"Ho.", "Bye.", "One.", "Two."}
    assert sorted(senses.engine.spoken) == ["Bye.", "Hi.", "Ho.", "One.", "Two."]


async def test_the_ears_are_the_same_until_they_are_closed(senses: Senses) -> None:
    ears = await senses.ears()
    assert ears is await senses.ears()
    await senses.aclose()
    assert ears.closed
