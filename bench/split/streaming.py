"""Splitters that take a stream themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from bench.split.score import Released


class Earshot:
    """Ours, whole sentences: no clause goes ahead."""

    def __init__(self) -> None:
        from speech.units import UnitSplitter

        self._splitter: Any = UnitSplitter

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """See ``Splitter``."""
        splitter = self._splitter(lang)
        released = [
            Released(unit.text, at)
            for at, token in enumerate(tokens)
            for unit in splitter.feed(token)
        ]
        return released + [Released(unit.text, len(tokens)) for unit in splitter.finish()]


class Pipecat:
    """``SimpleTextAggregator``, told the language as pipecat's LLM text processor tells it."""

    def __init__(self) -> None:
        from pipecat.utils.text.simple_text_aggregator import SimpleTextAggregator

        self._aggregator: Any = SimpleTextAggregator
        self._runner = asyncio.Runner()

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """See ``Splitter``."""
        return self._runner.run(self._units(tokens, lang))

    async def _units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        aggregator = self._aggregator()
        aggregator.set_language(lang)
        released = [
            Released(part.text, at)
            for at, token in enumerate(tokens)
            async for part in aggregator.aggregate(token)
        ]
        rest = await aggregator.flush()
        return [*released, *([Released(rest.text, len(tokens))] if rest else [])]


class LiveKit:
    """``livekit.agents.tokenize.basic``'s sentence stream."""

    def __init__(self, min_sentence_len: int | None = None) -> None:
        """With the library's own options where no length is given."""
        from livekit.agents.tokenize import basic

        lengths = {} if min_sentence_len is None else {"min_sentence_len": min_sentence_len}
        self._tokenizer: Any = basic.SentenceTokenizer(**lengths)
        self._runner = asyncio.Runner()

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """See ``Splitter``."""
        return self._runner.run(self._units(tokens))

    async def _units(self, tokens: Sequence[str]) -> list[Released]:
        """It sends in ``push_text`` itself, so what is there after it came with that token."""
        stream = self._tokenizer.stream()
        waiting = stream._event_ch
        released = []
        for at, token in enumerate(tokens):
            stream.push_text(token)
            while not waiting.empty():
                released.append(Released(waiting.recv_nowait().token, at))
        stream.end_input()
        return [*released, *[Released(part.token, len(tokens)) async for part in stream]]


class Stream2Sentence:
    """``generate_sentences`` with its rule-based tokenizer, the default."""

    def __init__(self, min_length: int | None = None) -> None:
        """With the library's own options where no length is given."""
        from stream2sentence import generate_sentences

        self._generate: Any = generate_sentences
        self._lengths = {} if min_length is None else {
            "minimum_sentence_length": min_length, "minimum_first_fragment_length": min_length,
        }  # fmt: skip

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        """See ``Splitter``."""
        at = 0

        def counted() -> Iterator[str]:
            nonlocal at
            for at, token in enumerate(tokens):  # noqa: B007 - read by the loop below
                yield token
            at = len(tokens)

        sentences = self._generate(counted(), language=lang, **self._lengths)
        return [Released(sentence, at) for sentence in sentences]
