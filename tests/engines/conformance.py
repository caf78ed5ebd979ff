"""What every speech engine promises; run by ``test_conformance`` for each in the registry."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import numpy as np
import pytest

from speech.engine import PcmChunk, SpeechEngine, SpeechSession
from speech.errors import EngineError, UnknownVoiceError, UsageError
from tests.engines.listening import Stamps, collect, joined, until_idle, word_error_rate
from tests.engines.registry import EngineCase

SENTENCE = "The train to the coast leaves at nine."
LONG = (
    "The old harbour lies between two hills, and in the evening the boats come home. "
    "Children run down to the water to see what was caught, while their parents wait by the "
    "wall and talk about the weather. Nobody is in a hurry. The baker leaves her door open, so "
    "that the smell of bread fills the narrow street, and the last bus turns around in front "
    "of the church. When the lamps are lit, someone begins to play the accordion, and a few "
    "people sing. Finally the doors are shut and the village sleeps."
)
"""Over 510 phonemes, more than Kokoro takes at once."""

SILENT = ["", "   ", "\n\t ", "...", "?!", "—", "** --- ##", '"\'"', "\u200b\ufeff", "\x00\x1b\x07",
          "😊", "👍🏽", "👨‍👩‍👧", "❤️!", '😊"', "\ud83d", "→ ←", "&"]  # fmt: skip

BAD = {
    "control characters": "Hel\x00lo \x1b[31mred\x07 \x7fdone",
    "lone surrogates": "before \ud800 after \udfff",
    "circled digits": "①② and Ⓐ",
    "mixed scripts": "Hello Привет 你好 مرحبا नमस्ते",
    "looks like SSML": '<speak><break time="5s"/>Hi &amp; <b>bye</b></speak>',
    "espeak markup": "[[h@l'oU]] and {word}",
    "marks run wild": "Well,,, ... -- (what?!) «no» “yes” …; :: done",
    "combining": "Z̴̢̛a̵l̷g̶o̸ text",
}


async def first_chunk(session: SpeechSession, unit_id: str, text: str) -> PcmChunk:
    async with aclosing(session.speak(unit_id, text)) as chunks:  # type: ignore[type-var]
        return await anext(chunks)


class TestAudio:
    """What comes out."""

    async def test_chunks_are_contiguous_int16_mono_of_the_unit(
        self, session: SpeechSession, engine: SpeechEngine
    ) -> None:
        chunks = await collect(session.speak("u1", SENTENCE))
        expected = 0
        for chunk in chunks:
            assert chunk.unit_id == "u1"
            assert chunk.first_sample == expected
            assert chunk.samples.dtype == np.int16
            assert chunk.samples.ndim == 1
            assert 0 < len(chunk.samples) <= engine.sample_rate
            expected += len(chunk.samples)
        assert expected > engine.sample_rate
        assert np.abs(joined(chunks)).max() > 3_000

    async def test_words_if_any_lie_in_the_unit_and_in_order(self, session: SpeechSession) -> None:
        chunks = await collect(session.speak("u1", SENTENCE))
        total = sum(len(chunk.samples) for chunk in chunks)
        words = [word for chunk in chunks for word in chunk.words]
        assert all(0 <= word.start < word.end <= total for word in words)
        assert [word.start for word in words] == sorted(word.start for word in words)
        for chunk in chunks:
            end = chunk.first_sample + len(chunk.samples)
            assert all(chunk.first_sample <= word.start < end for word in chunk.words)

    @pytest.mark.usefixtures("understood")
    async def test_what_is_heard_is_the_text(
        self, session: SpeechSession, engine: SpeechEngine
    ) -> None:
        samples = joined(await collect(session.speak("u1", SENTENCE)))
        assert word_error_rate(SENTENCE, samples, engine.sample_rate) <= 0.2

    @pytest.mark.usefixtures("understood")
    async def test_a_text_beyond_the_models_limit_loses_nothing(
        self, session: SpeechSession, engine: SpeechEngine
    ) -> None:
        samples = joined(await collect(session.speak("u1", LONG)))
        assert word_error_rate(LONG, samples, engine.sample_rate) <= 0.2

    @pytest.mark.usefixtures("understood")
    async def test_speed_makes_it_shorter(self, engine: SpeechEngine, case: EngineCase) -> None:
        lengths = [
            len(joined(await collect((await engine.open(case.voice, speed)).speak("u", SENTENCE))))
            for speed in (0.7, 1.6)
        ]
        assert lengths[0] > 1.5 * lengths[1]

    async def test_stages_are_stamped_in_order(
        self, engine: SpeechEngine, case: EngineCase
    ) -> None:
        stamps: list[tuple[str, str]] = []
        session = await engine.open(case.voice, stamp=lambda *stamp: stamps.append(stamp))
        await first_chunk(session, "u1", "Yes.")
        assert stamps == [("synthesis_start", "u1"), ("first_chunk", "u1")]


class TestText:
    """Whatever a language model may write."""

    @pytest.mark.parametrize("text", SILENT, ids=ascii)
    async def test_nothing_speakable_is_no_audio_no_stamp_no_error(
        self, session: SpeechSession, stamps: Stamps, text: str
    ) -> None:
        """Also case B05."""
        assert await collect(session.speak("u1", text)) == []
        assert stamps.seen == []

    @pytest.mark.parametrize("name", BAD)
    async def test_bad_text_is_spoken_without_an_error(
        self, session: SpeechSession, name: str
    ) -> None:
        chunk = await first_chunk(session, "u1", BAD[name])
        assert len(chunk.samples) > 0

    async def test_twenty_kilobytes_without_a_space_are_begun(
        self, session: SpeechSession, stamps: Stamps
    ) -> None:
        reading = asyncio.create_task(collect(session.speak("u1", "x" * 20_000)))
        await stamps.synthesis_of("u1")
        session.cancel("u1")
        assert await reading == []


class TestCancel:
    """Stopping, at every point."""

    async def test_cancel_ends_the_iterator_and_the_session_speaks_on(
        self, session: SpeechSession, stamps: Stamps
    ) -> None:
        chunks = session.speak("u1", LONG)
        reading = asyncio.create_task(collect(chunks))
        await stamps.synthesis_of("u1")
        session.cancel("u1")
        assert await reading == []
        assert await collect(session.speak("u2", "Yes."))

    async def test_cancel_stops_the_computation(
        self, session: SpeechSession, stamps: Stamps
    ) -> None:
        reading = asyncio.create_task(collect(session.speak("u1", LONG)))
        await stamps.synthesis_of("u1")
        session.cancel("u1")
        await reading
        async with asyncio.timeout(5):
            await until_idle()

    async def test_cancel_between_chunks_drops_the_rest(self, session: SpeechSession) -> None:
        chunks = session.speak("u1", SENTENCE)
        await anext(chunks)
        session.cancel("u1")
        assert await collect(chunks) == []

    async def test_cancel_before_the_first_read(self, session: SpeechSession) -> None:
        chunks = session.speak("u1", LONG)
        session.cancel("u1")
        assert await collect(chunks) == []

    async def test_cancel_of_a_unit_that_waits_lets_the_running_one_be(
        self, session: SpeechSession
    ) -> None:
        running = asyncio.create_task(collect(session.speak("u1", SENTENCE)))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(collect(session.speak("u2", LONG)))
        await asyncio.sleep(0)
        session.cancel("u2")
        assert await waiting == []
        assert await running

    async def test_cancel_of_the_running_unit_lets_the_waiting_one_speak(
        self, session: SpeechSession
    ) -> None:
        running = session.speak("u1", SENTENCE)
        await anext(running)  # and is not read on, as after an interruption
        waiting = asyncio.create_task(collect(session.speak("u2", "Yes.")))
        await asyncio.sleep(0)
        session.cancel("u1")
        assert await waiting
        assert await collect(running) == []

    async def test_unknown_and_finished_ids_are_ignored(self, session: SpeechSession) -> None:
        session.cancel("never")
        assert await collect(session.speak("u1", "Yes."))
        session.cancel("u1")
        session.cancel("u1")
        assert await collect(session.speak("u1", "Yes."))

    async def test_closing_the_iterator_stops_the_computation(self, session: SpeechSession) -> None:
        await first_chunk(session, "u1", LONG)
        async with asyncio.timeout(5):
            await until_idle()
        assert await collect(session.speak("u2", "Yes."))

    async def test_cancelling_the_reading_task_stops_the_computation(
        self, session: SpeechSession, stamps: Stamps
    ) -> None:
        reading = asyncio.create_task(collect(session.speak("u1", LONG)))
        await stamps.synthesis_of("u1")
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        async with asyncio.timeout(5):
            await until_idle()
        assert await collect(session.speak("u2", "Yes."))


class TestSessions:
    """Several, broken, closed."""

    async def test_a_session_speaks_its_units_in_order(self, session: SpeechSession) -> None:
        order: list[str] = []

        async def read(unit_id: str, text: str) -> None:
            async for chunk in session.speak(unit_id, text):
                order.append(chunk.unit_id)

        async with asyncio.TaskGroup() as group:
            group.create_task(read("u1", SENTENCE))
            group.create_task(read("u2", "Yes."))
        assert order == sorted(order)
        assert set(order) == {"u1", "u2"}

    async def test_a_long_unit_does_not_hold_up_another_session(
        self, engine: SpeechEngine, case: EngineCase
    ) -> None:
        stamps = Stamps()
        talker = await engine.open(case.voice, stamp=stamps)
        other = await engine.open(case.voice)
        long = asyncio.create_task(collect(talker.speak("long", LONG)))
        await stamps.synthesis_of("long")
        assert await collect(other.speak("short", "Yes."))
        assert not long.done()
        talker.cancel("long")
        await long

    async def test_sessions_do_not_share_unit_ids(
        self, engine: SpeechEngine, case: EngineCase
    ) -> None:
        one, two = await engine.open(case.voice), await engine.open(case.voice)
        reading = asyncio.create_task(collect(one.speak("u1", SENTENCE)))
        await asyncio.sleep(0)
        two.cancel("u1")
        assert await reading

    async def test_a_failed_unit_is_an_engine_error_and_the_next_one_speaks(
        self, session: SpeechSession, case: EngineCase
    ) -> None:
        with case.broken(session), pytest.raises(EngineError) as caught:
            await collect(session.speak("u1", SENTENCE))
        assert "\n" not in str(caught.value)
        assert await collect(session.speak("u2", "Yes."))

    async def test_an_unknown_voice_is_refused_with_the_list(self, engine: SpeechEngine) -> None:
        for name in ("af_hart", "", "../../etc/passwd"):
            with pytest.raises(UnknownVoiceError) as caught:
                await engine.open(name)
            assert all(voice in str(caught.value) for voice in engine.voices())
            assert "\n" not in str(caught.value)

    async def test_voices_are_sorted_and_open(self, engine: SpeechEngine, case: EngineCase) -> None:
        voices = engine.voices()
        assert voices == sorted(voices)
        assert case.voice in voices
        await (await engine.open(case.voice)).aclose()

    @pytest.mark.parametrize("speed", [float("nan"), float("inf"), 0.0, 0.49, 2.01, -1.0])
    async def test_a_speed_out_of_range_is_refused(
        self, engine: SpeechEngine, case: EngineCase, speed: float
    ) -> None:
        with pytest.raises(UsageError, match=r"0\.5 to 2"):
            await engine.open(case.voice, speed)

    async def test_closing_a_session_ends_its_units_and_no_other(
        self, engine: SpeechEngine, case: EngineCase
    ) -> None:
        stamps = Stamps()
        closed = await engine.open(case.voice, stamp=stamps)
        other = await engine.open(case.voice)
        reading = asyncio.create_task(collect(closed.speak("u1", LONG)))
        await stamps.synthesis_of("u1")
        await closed.aclose()
        await closed.aclose()
        assert await reading == []
        with pytest.raises(EngineError):
            await collect(closed.speak("u2", "Yes."))
        assert await collect(other.speak("u1", "Yes."))

    async def test_closing_the_engine_ends_all_and_is_idempotent(self, case: EngineCase) -> None:
        engine, stamps = case.make(), Stamps()
        async with asyncio.TaskGroup() as group:
            group.create_task(engine.start())
            group.create_task(engine.start())
        session = await engine.open(case.voice, stamp=stamps)
        reading = asyncio.create_task(collect(session.speak("u1", LONG)))
        await stamps.synthesis_of("u1")
        await engine.aclose()
        await engine.aclose()
        assert await reading == []
        with pytest.raises(EngineError):
            await collect(session.speak("u2", "Yes."))
        with pytest.raises(EngineError):
            await engine.open(case.voice)

    async def test_an_engine_never_started_closes(self, case: EngineCase) -> None:
        await case.make().aclose()
