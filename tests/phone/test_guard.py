"""Nothing a peer sends ends a call but its own hang-up, and no digit reaches a log."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loguru import logger
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InputDTMFFrame,
    InterruptionFrame,
    OutputAudioRawFrame,
)
from pipecat.serializers.base_serializer import FrameSerializer

from bot.config.secrets import Secrets
from bot.phone.carriers import carrier
from bot.phone.flood import BURST_S, LEAST_S
from bot.phone.guard import MAX_PAYLOAD_CHARS, GuardedSerializer
from bot.phone.handshake import StreamStart

MULAW_SILENCE = base64.b64encode(b"\xff" * 160).decode()

# Case E01: one bad message must not be handled as a hang-up.
MALFORMED: list[str | bytes] = [
    "{",
    "null",
    "[]",
    '"x"',
    '{"event":"media"}',
    '{"event":"media","media":{}}',
    '{"event":"media","media":{"payload":"***"}}',
    '{"event":"media","media":{"payload":7}}',
    '{"event":"media","media":7}',
    '{"media":{"payload":"//8="}}',
    '{"event":"nova"}',
    '{"event":7}',
    "",
    b"\xff\xfe\x00",
    "[" * 30_000,
    '{"event":' * 5_000,
    '{"event":"dtmf","dtmf":{"digit":"12"}}',
    '{"event":"dtmf","dtmf":{"digit":""}}',
    '{"event":"media","media":{"payload":"' + "A" * (MAX_PAYLOAD_CHARS + 4) + '"}}',
]


@pytest.fixture
def logged() -> Iterator[list[str]]:
    lines: list[str] = []
    sink = logger.add(lines.append, level="TRACE", format="{message}")
    yield lines
    logger.remove(sink)


class FakeSetup:
    """The one field of pipecat's setup that the serializers read."""

    audio_in_sample_rate = 16_000


async def guarded(
    provider: str = "twilio",
    encoding: str = "PCMU",
    stopped: asyncio.Event | None = None,
    hang_up: Callable[[], None] = lambda: None,
) -> GuardedSerializer:
    """One whose clock stands still."""
    line = carrier(provider, Secrets({}))
    inner = line.serializer(StreamStart("MZ1", "CA1", encoding))
    stopped = stopped or asyncio.Event()
    guard = GuardedSerializer(inner, stopped, hang_up, line.bytes_per_s, lambda: 0.0)
    await guard.setup(FakeSetup())  # type: ignore[arg-type]
    return guard


def media(payload: str) -> str:
    return json.dumps({"event": "media", "media": {"payload": payload}})


async def audio_of(guard: GuardedSerializer, messages: int = 40) -> int:
    """Samples that come of some valid media messages (the resampler holds a few back)."""
    frames = [await guard.deserialize(media(MULAW_SILENCE)) for _ in range(messages)]
    return sum(len(f.audio) for f in frames if isinstance(f, InputAudioRawFrame)) // 2


async def test_malformed_messages_are_ignored_with_one_log_line(logged: list[str]) -> None:
    guard = await guarded()
    assert [await guard.deserialize(message) for message in MALFORMED] == [None] * len(MALFORMED)
    assert guard.refused == len(MALFORMED)
    assert len(logged) == 1
    assert await audio_of(guard) > 10_000


@pytest.mark.parametrize("provider", ["twilio", "telnyx", "plivo", "exotel"])
async def test_every_carriers_audio_comes_through(provider: str) -> None:
    assert await audio_of(await guarded(provider)) > 4_000


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["event", "media", "payload", "dtmf", "digit", "start", "x"]),
                inner | st.sampled_from(["media", "dtmf", "start", "stop"]),
                max_size=4,
            )
        ),
    )
)
def test_no_json_raises(value: Any) -> None:
    async def feed() -> None:
        guard = await guarded()
        await guard.deserialize(json.dumps(value))

    asyncio.run(feed())


@pytest.mark.parametrize(
    ("provider", "packet"), [("twilio", b"\xff" * 160), ("exotel", bytes(320))]
)
async def test_a_flood_of_audio_is_bounded_told_and_ends_the_call(
    provider: str, packet: bytes, logged: list[str]
) -> None:
    stopped = asyncio.Event()
    guard = await guarded(provider, stopped=stopped)
    message = media(base64.b64encode(packet).decode())
    taken = 0
    for _ in range(3_000):  # a minute of audio in no time
        frame = await guard.deserialize(message)
        taken += len(frame.audio) // 2 if isinstance(frame, InputAudioRawFrame) else 0
    assert taken / 16_000 <= BURST_S
    assert guard.dropped == pytest.approx(3_000 - BURST_S / 0.02, abs=5)
    assert stopped.is_set()
    assert [line.split(":")[0].split(";")[0].strip() for line in logged] == [
        "The carrier sends faster than real time",
        "Hanging up",
    ]


@pytest.mark.parametrize("message", ["{", '{"event":"dtmf","dtmf":{"digit":"7"}}'])
async def test_so_does_a_flood_of_anything_else(message: str) -> None:
    stopped, hung_up = asyncio.Event(), list[bool]()
    guard = await guarded(stopped=stopped, hang_up=lambda: hung_up.append(True))
    frames = [await guard.deserialize(message) for _ in range(10_000)]
    assert sum(frame is not None for frame in frames) <= BURST_S / LEAST_S
    assert stopped.is_set()
    assert hung_up == [True]  # once, though more came


async def test_half_a_sample_is_refused() -> None:
    guard = await guarded("exotel")
    assert await guard.deserialize(media(base64.b64encode(bytes(321)).decode())) is None
    assert guard.refused == 1


async def test_an_encoding_we_cannot_read_is_refused() -> None:
    guard = await guarded("telnyx", encoding="OPUS")
    assert await guard.deserialize(media(MULAW_SILENCE)) is None
    assert guard.refused == 1


async def test_digits_become_frames_and_are_not_logged(logged: list[str]) -> None:
    guard = await guarded()
    message = json.dumps({"event": "dtmf", "dtmf": {"digit": "7"}})
    assert isinstance(await guard.deserialize(message), InputDTMFFrame)
    await guard.deserialize(json.dumps({"event": "dtmf", "dtmf": {"digit": "A"}}))
    assert not [line for line in logged if "7" in line or "A" in line.split()]


async def test_the_carriers_stop_is_told() -> None:
    stopped = asyncio.Event()
    inner = carrier("twilio", Secrets({})).serializer(StreamStart("MZ1", "CA1"))
    guard = GuardedSerializer(inner, stopped, lambda: None)
    await guard.deserialize('{"event":"stop","streamSid":"MZ1"}')
    assert stopped.is_set()


@pytest.mark.parametrize(
    ("provider", "cleared"),
    [
        ("twilio", {"event": "clear", "streamSid": "MZ1"}),
        ("telnyx", {"event": "clear"}),
        ("plivo", {"event": "clearAudio", "streamId": "MZ1"}),
        ("exotel", {"event": "clear", "stream_sid": "MZ1"}),
    ],
)
async def test_an_interruption_clears_the_carriers_buffer(
    provider: str, cleared: dict[str, str]
) -> None:
    message = await (await guarded(provider)).serialize(InterruptionFrame())
    assert json.loads(message or "") == cleared


async def test_outgoing_messages_stay_small() -> None:
    guard = await guarded()
    chunk = np.zeros(160, np.int16).tobytes()
    message = await guard.serialize(OutputAudioRawFrame(chunk, 8_000, 1))
    assert message is not None
    assert len(message) < 1_000


class FakeStuckCarrier(FrameSerializer):
    """A REST hang-up that never returns."""

    async def serialize(self, frame: Frame) -> str | bytes | None:
        await asyncio.Event().wait()
        return None

    async def deserialize(self, data: str | bytes) -> Frame | None:
        return None


async def test_a_hang_up_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.phone.guard.HANG_UP_TIMEOUT_S", 0.01)
    guard = GuardedSerializer(FakeStuckCarrier(), asyncio.Event(), lambda: None)
    assert await guard.serialize(InterruptionFrame()) is None
