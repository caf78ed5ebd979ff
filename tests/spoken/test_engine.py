"""Any engine is given the spoken text, and its words come back as they were written."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from processors.phrases import prepare_phrases
from speech.engine import PacedSession, PcmChunk
from speech.errors import EngineError, UsageError
from speech.spoken.engine import SpokenEngine
from tests.processors.fake_engine import SAMPLES_PER_WORD, FakeEngine


async def heard(engine: SpokenEngine, text: str, voice: str = "af_fake") -> list[PcmChunk]:
    session = await engine.open(voice)
    return [chunk async for chunk in session.speak("r/1", text)]


def words(chunks: list[PcmChunk]) -> list[tuple[str, int, int]]:
    """Text, and start and end in spoken words."""
    return [
        (word.text, word.start // SAMPLES_PER_WORD, word.end // SAMPLES_PER_WORD)
        for chunk in chunks
        for word in chunk.words
    ]


async def test_a_number_is_one_word_as_long_as_all_that_is_said_for_it() -> None:
    fake = FakeEngine()
    chunks = await heard(SpokenEngine(fake), "You owe $25 now.")
    assert fake.spoken == ["You owe twenty-five dollars now."]
    assert words(chunks) == [("You", 0, 1), ("owe", 1, 2), ("$25", 2, 4), ("now", 4, 5)]


async def test_it_comes_with_the_last_thing_said_for_it() -> None:
    """Cut off in the middle of a price, the price was not heard."""
    chunks = await heard(SpokenEngine(FakeEngine()), "Pay $25.")
    assert [len(chunk.words) for chunk in chunks] == [1, 0, 1]


async def test_words_said_together_end_together() -> None:
    chunks = await heard(SpokenEngine(FakeEngine()), "It raised $5.3 billion.")
    assert words(chunks) == [("It", 0, 1), ("raised", 1, 2), ("$5.3", 2, 6), ("billion", 6, 7)]


async def test_text_with_nothing_to_say_otherwise_is_passed_on() -> None:
    fake = FakeEngine()
    chunks = await heard(SpokenEngine(fake), "Plain words.")
    assert fake.spoken == ["Plain words."]
    assert words(chunks) == [("Plain", 0, 1), ("words", 1, 2)]


@pytest.mark.parametrize("text", ["😊", "❤️!", "...", "**", "()"])
async def test_nothing_to_say_does_not_reach_the_engine(text: str) -> None:
    """Cases B05 and B06."""
    fake = FakeEngine()
    assert await heard(SpokenEngine(fake), text) == []
    assert fake.spoken == []


async def test_the_language_is_the_voices() -> None:
    fake = FakeEngine()
    engine = SpokenEngine(fake)
    for voice in ("af_heart", "bf_emma", "ff_siwis", "if_sara"):
        await heard(engine, "101", voice)
    assert fake.spoken == ["one hundred one", "one hundred and one", "cent un", "centouno"]


async def test_the_users_words_are_said_as_the_user_says() -> None:
    fake = FakeEngine()
    engine = SpokenEngine(fake, say={"GIF": "jif", "kubectl": "cube control"}, no_read=["TODO"])
    chunks = await heard(engine, "TODO: a GIF of Kubectl, not gif.")
    assert fake.spoken == [": a jif of cube control, not gif."]
    assert [word for word, _, _ in words(chunks)] == ["a", "GIF", "of", "Kubectl", "not", "gif"]


def test_a_bad_pattern_is_said_at_once() -> None:
    with pytest.raises(UsageError, match="no_read"):
        SpokenEngine(FakeEngine(), no_read=["/(/"])


async def test_cancelling_closing_and_errors_are_the_engines() -> None:
    fake = FakeEngine()
    engine = SpokenEngine(fake)
    session = await engine.open("af_fake")
    chunks = session.speak("r/1", "$5 and $6")
    await anext(chunks)
    session.cancel("r/1")
    assert [chunk async for chunk in chunks] == []  # half a price is no price
    with pytest.raises(EngineError):
        await heard(SpokenEngine(FakeEngine()), "$5 FAIL")
    assert (engine.name, engine.sample_rate, engine.voices()) == ("fake", 24_000, ["fake"])


async def test_prepared_phrases_are_found_by_what_was_written() -> None:
    phrases = await prepare_phrases(SpokenEngine(FakeEngine()), "af_fake", 1.0, ["Press 1 now."])
    assert [word for word, _, _ in words(phrases["Press 1 now."])] == ["Press", "1", "now"]


class FakePacedSession:
    """A ``PacedSession`` that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, object]] = []

    async def speak(
        self, unit_id: str, text: str, *, first_audio_s: float | None = None
    ) -> AsyncGenerator[PcmChunk]:
        self.told.append((text, first_audio_s))
        return
        yield

    async def beside(self, voice: str, speed: float = 1.0) -> FakePacedSession:
        self.told.append(("beside", (voice, speed)))
        return self

    def cancel(self, unit_id: str) -> None:
        self.told.append(("cancel", unit_id))

    async def aclose(self) -> None:
        self.told.append(("aclose", None))

    def played(self, ahead_s: float) -> None:
        self.told.append(("played", ahead_s))

    def cut(self) -> None:
        self.told.append(("cut", None))

    def credit(self, seconds: float) -> None:
        self.told.append(("credit", seconds))


class FakePacedEngine(FakeEngine):
    def __init__(self) -> None:
        super().__init__()
        self.session = FakePacedSession()

    async def open(self, *_: object, **__: object) -> FakePacedSession:  # type: ignore[override]
        return self.session


async def test_deadline_credit_and_what_was_played_go_through() -> None:
    fake = FakePacedEngine()
    session = await SpokenEngine(fake).open("af_fake")
    assert isinstance(session, PacedSession)
    assert [chunk async for chunk in session.speak("u1", "$5", first_audio_s=0.4)] == []
    session.played(1.5)
    session.credit(2.0)
    session.cut()
    session.cancel("u1")
    other = await session.beside("ef_fake", 1.2)
    assert [chunk async for chunk in other.speak("u2", "$5")] == []
    assert fake.session.told == [
        ("five dollars", 0.4), ("played", 1.5), ("credit", 2.0), ("cut", None), ("cancel", "u1"),
        ("beside", ("ef_fake", 1.2)), ("cinco dólares", None),
    ]  # fmt: skip
    assert not isinstance(await SpokenEngine(FakeEngine()).open("af_fake"), PacedSession)
