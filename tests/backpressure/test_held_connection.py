"""Guards: while nothing is read the server has to wait, and its deadlines do not run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import overload

from tests.backpressure.hall import hall_with
from tests.llm.fake_server import Event, FakeOpenAiServer, FakeReply, finish, text

CHUNKS, PADDING = 400, 65_536
"""26 MB: more than any system keeps for two ends of a connection that nobody reads."""

STALL_S = 0.2


class Padded(Sequence[Event]):
    """Words in chunks of 64 KB; counts those the server has come to send."""

    def __init__(self) -> None:
        self.sent = 0

    def __len__(self) -> int:
        return CHUNKS

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Event]:
        for _ in range(CHUNKS):
            self.sent += 1
            yield text("One two three. ", pad="x" * PADDING)


async def test_the_server_waits_where_the_reader_does() -> None:
    chunks = Padded()
    async with FakeOpenAiServer(FakeReply(chunks)) as server, hall_with(server.base_url) as h:
        read = await h.still()
        sent = -1
        while sent != chunks.sent:
            sent = chunks.sent
            await asyncio.sleep(0.1)
        assert h.model.read == read
        assert read <= sent < CHUNKS


async def test_a_stream_that_was_not_read_for_longer_than_a_stall_is_none() -> None:
    words = [f"Word {number}. " for number in range(40)]
    pieces = [text(piece) for word in words for piece in (word[:-2], ".", " ")]
    reply = FakeReply([*pieces, finish()])
    limits = {"stall_timeout_s": STALL_S, "first_token_timeout_s": 30}
    async with FakeOpenAiServer(reply) as server, hall_with(server.base_url, llm=limits) as h:
        await h.still()
        await asyncio.sleep(2 * STALL_S)
        h.speaker.open.set()
        await h.until(lambda: "Word 39." in h.heard)
        assert h.heard.split() == "".join(words).split()
        assert not [event for event in h.timeline.events if event.name == "error"]
