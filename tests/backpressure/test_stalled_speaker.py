"""Guards: a speaker that takes nothing stops the model's reader, costs no memory, loses nothing,
and delays no interruption and no end."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Iterator
from itertools import islice

import pytest
from openai.types.chat import ChatCompletionChunk
from pipecat.frames.frames import InterruptionFrame

from bot.llm.answer import _tool_chunk, text_chunk
from bot.llm.assembly import ToolCall
from speech import lead
from tests.backpressure.hall import LEAD_S, WAITING, hall
from tests.core.stage import PATIENCE_S
from tests.evidence.tools import OFFICE

SENTENCE = "One two three four five. "
SENTENCES = 40
MOST_READ = WAITING + 8 * len(SENTENCE)
"""Characters: what waits, and some sentences that are with the voice or not complete yet."""


def endless() -> Iterator[ChatCompletionChunk]:
    while True:
        yield text_chunk(SENTENCE)


def long() -> Iterator[ChatCompletionChunk]:
    for number in range(SENTENCES):
        yield text_chunk(f"This is number {number}. ")


def short() -> Iterator[ChatCompletionChunk]:
    yield text_chunk("Fine.")


LONG = "".join(f"This is number {number}. " for number in range(SENTENCES))


def then_books(words: str) -> Iterator[ChatCompletionChunk]:
    for word in words.split(" "):
        yield text_chunk(word + " ")
    yield _tool_chunk(0, ToolCall("c1", "book", "{}"))


async def test_an_endless_answer_is_read_no_further_and_memory_stays_flat() -> None:
    async with hall(endless) as h:
        read = await h.still()
        assert 0 < read * len(SENTENCE) <= MOST_READ
        gc.collect()
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        spoken = len(h.engine.spoken)
        for _ in range(300):
            await asyncio.sleep(0.001)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (h.model.read, len(h.engine.spoken)) == (read, spoken)
        assert after - before < 20_000
        assert h.use("text for the voice").high_water < WAITING + 2 * len(SENTENCE)
        assert h.use("made, not heard").high_water <= LEAD_S + 0.1 + 1e-6


async def test_what_waited_is_heard_to_the_last_word_when_the_speaker_goes_on() -> None:
    async with hall(long) as h:
        read = await h.still()
        assert read < SENTENCES
        h.speaker.open.set()
        await h.until(lambda: f"number {SENTENCES - 1}." in h.heard)
        assert h.heard.strip() == LONG.strip()


async def test_an_interruption_passes_all_that_is_held() -> None:
    async with hall(endless, short) as h:
        await h.still()
        await h.conversation.worker.queue_frame(InterruptionFrame())
        async with asyncio.timeout(PATIENCE_S):
            await h.speaker.interrupted.wait()  # the speaker is still held
            await h.model.closed.wait()
        read = h.model.read
        h.speaker.open.set()
        await h.ask()
        await h.until(lambda: "Fine." in h.heard)
        assert h.model.read == read + 1, "nothing more was read of the cut answer"
        assert h.use("text for the voice").dropped == 0


@pytest.mark.parametrize("way", ["end", "cancel"])
async def test_the_end_passes_all_that_is_held(way: str) -> None:
    async with hall(endless) as h:
        await h.still()
        async with asyncio.timeout(PATIENCE_S):
            await (h.conversation.end() if way == "end" else h.conversation.cancel())
            await h.run
        assert h.model.closed.is_set()


async def test_a_speaker_that_is_lost_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lead, "PATIENCE_S", 0.1)
    async with hall(lambda: islice(long(), 12), short) as h:
        h.speaker.gone = True
        await h.ask()
        await h.until(lambda: h.engine.spoken[-1:] == ["This is number 11."])
        assert h.use("made, not heard").high_water <= LEAD_S + 0.1 + 1e-6
        h.speaker.gone = False
        await h.ask()
        await h.until(lambda: "Fine." in h.heard)


async def test_a_tool_at_the_end_of_a_held_stream_is_called() -> None:
    OFFICE.reset()
    OFFICE.open.set()
    tools = ("tests.evidence.tools:book",)
    async with hall(lambda: then_books(LONG[:400].rstrip()), short, tools=tools) as h:
        await h.still()
        assert not OFFICE.calls
        h.speaker.open.set()
        await h.until(lambda: "Fine." in h.heard)
        assert OFFICE.calls == ["a table"]


async def test_words_held_for_evidence_do_not_keep_their_tool_from_being_read() -> None:
    OFFICE.reset()
    marked = f'<pending id="book">{LONG[: 2 * WAITING].rstrip()}</pending>'
    tools = ("tests.evidence.tools:book",)
    evidence = {"policy": "hold", "markers": True, "max_units": 100}
    async with hall(lambda: then_books(marked), short, tools=tools, evidence=evidence) as h:
        await h.ask()
        await h.until(lambda: bool(OFFICE.calls))
        assert not h.engine.spoken
        OFFICE.open.set()
        await h.until(lambda: "Fine." in h.heard)
        assert h.heard.startswith(LONG[:WAITING])
