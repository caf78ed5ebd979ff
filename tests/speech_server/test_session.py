"""A session speaks units in order, one end each, and no client can spoil it."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from server.speech.limits import ServerLimits
from speech.errors import EngineBusyError
from speech.wire import MAX_FRAME_BYTES, FrameJoiner, unpack
from speech.wire.frame import HEADER
from tests.speech_server.fake_engine import WORD_SAMPLES, FakeEngine
from tests.speech_server.socket import connected, server


def kinds(heard: list[Any]) -> list[str]:
    return [message["type"] if isinstance(message, dict) else "audio" for message in heard]


async def test_a_unit_from_hello_to_closed() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={}) as socket:
        socket.say(type="speak", id="u1", text="One two.")
        heard = await socket.until("done")
        socket.say(type="close")
        end = await socket.rest()
    assert kinds(heard) == ["started", "words", "audio", "words", "audio", "done"]
    frames = [unpack(data) for data in heard if isinstance(data, bytes)]
    joiner = FrameJoiner(heard[0]["unit"])
    samples = np.concatenate([joiner.take(frame) for frame in frames])
    assert samples.tolist() == [1] * WORD_SAMPLES + [2] * WORD_SAMPLES
    assert heard[1]["words"] == [{"text": "One", "start": 0, "end": 2400}]
    assert heard[-1] | {"synth_s": 0} == {
        "type": "done",
        "id": "u1",
        "samples": 4800,
        "audio_s": 0.2,
        "synth_s": 0,
    }
    assert end == [{"type": "closed", "reason": "client_closed", "units": 1}]
    assert socket.close_code == 1000


async def test_close_lets_the_queue_be_said() -> None:
    async with connected(server(FakeEngine()).asgi, hello={}) as socket:
        for number in range(5):
            socket.say(type="speak", id=f"u{number}", text="Word.")
        socket.say(type="close")
        socket.say(type="speak", id="late", text="No.")
        heard = [message for message in await socket.rest() if isinstance(message, dict)]
    assert [m["id"] for m in heard if m["type"] == "done"] == ["u0", "u1", "u2", "u3", "u4"]
    late = next(message for message in heard if message.get("id") == "late")
    assert (late["type"], late["code"]) == ("error", "wrong_order")
    assert heard[-1]["type"] == "closed"


async def test_audio_at_another_rate_has_words_at_that_rate() -> None:
    async with connected(server(FakeEngine()).asgi, hello={"sample_rate": 8000}) as socket:
        socket.say(type="speak", id="u1", text="One two three four five six.")
        heard = await socket.until("done")
    frames = [unpack(data) for data in heard if isinstance(data, bytes)]
    assert sum(len(frame.samples) for frame in frames) == 6 * 800 == heard[-1]["samples"]
    words = [
        word for message in heard if kinds([message]) == ["words"] for word in message["words"]
    ]
    assert words[1] == {"text": "two", "start": 800, "end": 1600}


async def test_credit_holds_the_audio_and_what_makes_it() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={"credit_ms": 150}) as socket:
        socket.say(type="speak", id="u1", text=" ".join(["word"] * 50))
        heard = [await socket.hear() for _ in range(5)]
        assert kinds(heard) == ["started", "words", "audio", "words", "audio"]
        assert sum(len(unpack(m).samples) for m in heard if isinstance(m, bytes)) == 3600
        socket.say(type="ping", nonce="x")
        assert (await socket.hear()) == {"type": "pong", "nonce": "x"}
        assert engine.made <= 3
        socket.say(type="credit", ms=5000)
        heard = await socket.until("done")
        assert heard[-1]["samples"] == 50 * WORD_SAMPLES


async def test_cancel_stops_the_work_and_the_session_goes_on() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={"credit_ms": 100}) as socket:
        for name in ("u1", "u2", "u3"):
            socket.say(type="speak", id=name, text=" ".join(["word"] * 50))
        heard = [await socket.hear() for _ in range(3)]
        socket.say(type="cancel", id="u2")
        heard += await socket.until("cancelled")
        socket.say(type="cancel", id="u1")
        heard += await socket.until("cancelled")
        socket.say(type="cancel", id="all")
        heard += await socket.until("cancelled")
        made = engine.made
        socket.say(type="credit", ms=1000)
        socket.say(type="speak", id="u1", text="Again.")
        after = await socket.until("done")
    cancelled = [m for m in heard if isinstance(m, dict) and m["type"] == "cancelled"]
    assert [message["id"] for message in cancelled] == ["u2", "u1", "u3"]
    assert cancelled[0]["wasted_s"] == 0
    assert 0 < cancelled[1]["wasted_s"] <= 0.3
    assert made <= 6
    assert kinds(after)[-4:] == ["started", "words", "audio", "done"]
    assert engine.running == 0


async def test_a_cancel_drops_what_is_not_on_its_way() -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={}) as socket:
        socket.reading.clear()
        socket.say(type="speak", id="u1", text=" ".join(["word"] * 50))
        for _ in range(100):
            await asyncio.sleep(0)
        assert engine.made <= 7
        socket.say(type="cancel", id="u1")
        for _ in range(20):
            await asyncio.sleep(0)
        assert engine.running == 0
        socket.reading.set()
        heard = await socket.until("cancelled")
    assert kinds(heard).count("audio") <= 1


async def test_credit_for_audio_that_a_cancel_dropped_comes_back() -> None:
    async with connected(server(FakeEngine()).asgi, hello={"credit_ms": 1000}) as socket:
        for _ in range(4):
            socket.reading.clear()
            socket.say(type="speak", id="u", text=" ".join(["word"] * 20))
            for _turn in range(50):
                await asyncio.sleep(0)
            socket.say(type="cancel", id="u")
            for _turn in range(10):
                await asyncio.sleep(0)
            socket.reading.set()
            heard = await socket.until("cancelled")
            got = sum(len(unpack(data).samples) for data in heard if isinstance(data, bytes))
            socket.say(type="credit", ms=got // 24)
        socket.say(type="speak", id="v", text=" ".join(["word"] * 10))
        assert (await socket.until("done"))[-1]["samples"] == 10 * WORD_SAMPLES


@pytest.mark.parametrize(
    ("message", "code", "unit_id"),
    [
        ({"type": "hello", "version": 1}, "wrong_order", None),
        ({"type": "cancel", "id": "never"}, "unknown_unit", "never"),
        ({"type": "speak", "id": "u1", "text": "x" * 5001}, "text_too_long", "u1"),
        ({"type": "speak", "id": "u1", "text": "x", "voice": "nobody"}, "unknown_voice", "u1"),
        ({"type": "speak", "id": "u1", "text": "x", "speed": 9}, "bad_field", "u1"),
        ({"type": "speak", "id": "u1", "text": "One FAIL two."}, "synthesis_failed", "u1"),
        ({"type": "sing", "id": "u1"}, "unknown_type", "u1"),
        ({"text": "version 0 is over"}, "unknown_type", None),
    ],
)
async def test_a_wrong_message_is_answered_and_ends_nothing(
    message: dict[str, Any], code: str, unit_id: str | None
) -> None:
    engine = FakeEngine()
    async with connected(server(engine).asgi, hello={}) as socket:
        socket.say(**message)
        error = (await socket.until("error"))[-1]
        assert (error["code"], error.get("id")) == (code, unit_id)
        assert "told to fail" not in error["message"]
        socket.say(type="speak", id="u2", text="Fine.")
        assert (await socket.until("done"))[-1]["id"] == "u2"
    assert (engine.running, engine.sessions) == (0, 0)


async def test_an_id_in_use_is_refused_and_its_unit_lives() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    async with connected(server(engine).asgi, hello={}) as socket:
        socket.say(type="speak", id="u1", text="One.")
        socket.say(type="speak", id="u1", text="Two.")
        error = (await socket.until("error"))[-1]
        assert (error["code"], error["id"]) == ("duplicate_id", "u1")
        engine.gate.set()
        assert (await socket.until("done"))[-1]["id"] == "u1"
    assert engine.spoken == ["One."]


async def test_a_full_queue_and_a_busy_engine_say_when_to_come_again() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    async with connected(server(engine, ServerLimits(units_queued=2)).asgi, hello={}) as socket:
        socket.say(type="speak", id="u0", text="BUSY")
        for number in (1, 2, 3):
            socket.say(type="speak", id=f"u{number}", text="Word.")
        first = (await socket.until("busy"))[-1]
        second = (await socket.until("busy"))[-1]
        engine.gate.set()
        await socket.until("done")
        await socket.until("done")
    assert first == {"type": "busy", "id": "u0", "retry_after_s": 2.5, "reason": "capacity"}
    assert (second["id"], second["reason"]) == ("u3", "queue_full")


async def test_a_hello_for_whose_voice_there_is_no_room_is_answered() -> None:
    engine = FakeEngine()

    async def full(voice: str, speed: float = 1.0, **_: Any) -> Any:
        raise EngineBusyError("128 sessions are open")

    engine.open = full  # type: ignore[method-assign]
    async with connected(server(engine).asgi) as socket:
        socket.say(type="hello", version=1, voice="af_heart")
        (refused,) = await socket.until("error")
        assert (refused["code"], refused["retryable"]) == ("synthesis_failed", True)
        socket.say(type="hello", version=1)
        assert kinds(await socket.until("ready")) == ["ready"]


async def test_units_are_counted_by_how_they_ended() -> None:
    app = server(FakeEngine())
    async with connected(app.asgi, hello={}) as socket:
        socket.say(type="speak", id="u1", text="Word.")
        await socket.until("done")
        socket.say(type="speak", id="u2", text="FAIL")
        await socket.until("error")
        socket.say(type="close")
        await socket.rest()
    counted = app.service.metrics.text()
    for outcome in (b"said", b"failed"):
        assert b'earshot_units_total{outcome="' + outcome + b'"} 1.0' in counted


@pytest.mark.parametrize("hello", [None, {}])
async def test_a_long_chunk_comes_in_frames_that_fit(hello: dict[str, Any] | None) -> None:
    async with connected(server(FakeEngine()).asgi, hello=hello) as socket:
        kind = {} if hello is None else {"type": "speak", "id": "u1"}
        socket.say(text="Too LONG", **kind)
        heard = await socket.until("synthesis_complete", "done")
    frames = [data for data in heard if isinstance(data, bytes)]
    header = 0 if hello is None else HEADER.size
    assert max(map(len, frames)) <= MAX_FRAME_BYTES
    assert sum(len(data) - header for data in frames) == 2 * 21 * WORD_SAMPLES


async def test_who_leaves_in_mid_unit_leaves_nothing_behind() -> None:
    engine = FakeEngine()
    app = server(engine)
    for _ in range(50):
        async with connected(app.asgi, hello={"credit_ms": 50}) as socket:
            socket.say(type="speak", id="u1", text=" ".join(["word"] * 50))
            socket.say(type="speak", id="u2", text="Word.")
            await socket.hear()
    assert (engine.running, engine.sessions) == (0, 0)
    assert len(asyncio.all_tasks()) == 1
    assert b"earshot_sessions 0.0" in app.service.metrics.text()
    assert b"earshot_units_queued 0.0" in app.service.metrics.text()


async def test_sessions_have_a_bound() -> None:
    app = server(FakeEngine(), ServerLimits(sessions=1))
    async with connected(app.asgi), connected(app.asgi) as second:
        assert second.status == 503
    async with connected(app.asgi) as third:
        assert third.status == 101


@pytest.mark.parametrize(("limit", "reason"), [("session_s", "session_age"), ("idle_s", "idle")])
async def test_a_session_ends_in_time(limit: str, reason: str) -> None:
    limits = ServerLimits(**{limit: 0.05})
    async with connected(server(FakeEngine(), limits).asgi, hello={}) as socket:
        heard = await socket.rest()
    assert kinds(heard) == ["draining", "closed"]
    assert heard[-1]["reason"] == reason
