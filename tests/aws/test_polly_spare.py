"""The stream that is held open is kept alive, never grows old, and is always closed."""

from __future__ import annotations

import asyncio

import pytest

from speech.engines.aws.polly_spare import Spare, Times
from speech.errors import EngineError

pytestmark = pytest.mark.looptime

POLLYS_PATIENCE_S, POLLYS_LIMIT_S = 5.0, 600.0


class FakeStream:
    """Remembers when it was told something, and for how long it was open."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self.events = [self._time()]
        self.closed_at: float | None = None

    async def keep_alive(self) -> None:
        self.events.append(self._time())

    async def say(self, text: str, kind: str) -> None: ...

    async def piece(self) -> bytes | None: ...

    def lost(self) -> None: ...

    async def aclose(self) -> None:
        self.closed_at = self._time()

    @property
    def longest_silence_s(self) -> float:
        pairs = zip(self.events, self.events[1:], strict=False)
        return max((b - a for a, b in pairs), default=0.0)


class FakePolly:
    """Opens streams; refuses while ``down``."""

    def __init__(self) -> None:
        self.streams: list[FakeStream] = []
        self.down = False

    async def __call__(self) -> FakeStream:
        await asyncio.sleep(0.1)
        if self.down:
            raise EngineError("down")
        self.streams.append(FakeStream())
        return self.streams[-1]


async def test_it_is_kept_alive_and_let_go_when_nobody_wants_it() -> None:
    polly = FakePolly()
    spare = Spare(polly, Times())
    spare.make()
    spare.make()
    await asyncio.sleep(1_000)
    (stream,) = polly.streams
    assert 0 < stream.longest_silence_s < POLLYS_PATIENCE_S
    assert stream.closed_at is not None
    assert stream.closed_at < POLLYS_LIMIT_S
    assert spare.take() is None
    spare.make()
    await asyncio.sleep(1)
    assert spare.take() is polly.streams[1]


async def test_one_that_is_taken_is_its_takers_to_close() -> None:
    polly = FakePolly()
    spare = Spare(polly, Times())
    spare.make()
    assert spare.take() is None
    await asyncio.sleep(1)
    stream = spare.take()
    assert stream is polly.streams[0]
    assert spare.take() is None
    await asyncio.sleep(1_000)
    await spare.aclose()
    assert polly.streams[0].closed_at is None
    assert len(polly.streams[0].events) == 1


@pytest.mark.parametrize("after_s", [0.0, 0.05, 1.0])
async def test_closing_leaves_nothing_open(after_s: float) -> None:
    polly = FakePolly()
    spare = Spare(polly, Times())
    spare.make()
    await asyncio.sleep(after_s)
    await spare.aclose()
    await spare.aclose()
    await asyncio.sleep(10)
    assert all(stream.closed_at is not None for stream in polly.streams)


async def test_a_service_that_is_down_is_tried_again_at_the_next_unit() -> None:
    polly = FakePolly()
    spare = Spare(polly, Times())
    polly.down = True
    spare.make()
    await asyncio.sleep(1)
    assert spare.take() is None
    polly.down = False
    spare.make()
    await asyncio.sleep(1)
    assert spare.take() is not None
