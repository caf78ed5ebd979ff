"""POST /invocations answers a client of the reference as the reference does, but for its bugs."""

from __future__ import annotations

import asyncio
import io
import struct
import time
from typing import Any

import av
import numpy as np
import pytest

from server.speech.limits import ServerLimits
from speech.audio.resample import resample
from tests.speech_server.fake_engine import LOUD_HALF_WAVE, WORD_SAMPLES, FakeEngine
from tests.speech_server.http import FakeRequest, post
from tests.speech_server.socket import server

PATH = "/invocations"


def header(data: bytes) -> tuple[Any, ...]:
    return struct.unpack("<4sI4s4sIHHIIHH4sI", data[:44])


def samples_of(data: bytes) -> list[int]:
    return np.frombuffer(data[44:], "<i2").tolist()


async def test_streaming_is_a_header_of_unknown_length_and_then_samples() -> None:
    answer = await post(server(FakeEngine()).asgi, PATH, {"text": "One two."})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "audio/wav")
    fields = (16, 1, 1, 24000, 48000, 2, 16, b"data", 0xFFFFFFFF)
    assert header(answer.content) == (b"RIFF", 0xFFFFFFFF, b"WAVE", b"fmt ", *fields)
    assert samples_of(answer.content) == [1] * WORD_SAMPLES + [2] * WORD_SAMPLES


async def test_a_whole_answer_has_real_sizes_and_tells_how_it_went() -> None:
    answer = await post(server(FakeEngine()).asgi, PATH, {"text": "One two.", "stream": False})
    assert header(answer.content)[1] == len(answer.content) - 8
    assert header(answer.content)[-1] == len(answer.content) - 44 == 4 * WORD_SAMPLES
    assert answer.headers["x-audio-duration"] == "0.200"
    assert answer.headers["x-characters-processed"] == "8"
    assert float(answer.headers["x-inference-time-ms"]) > 0
    assert float(answer.headers["x-rtf"]) > 0


async def test_the_whole_and_the_streamed_samples_are_the_same() -> None:
    app = server(FakeEngine()).asgi
    for rate in (8000, 16000, 22050, 24000):
        body = {"text": "One two three.", "sample_rate": rate}
        streamed, whole = (
            await post(app, PATH, body),
            await post(app, PATH, body | {"stream": False}),
        )
        assert streamed.content[44:] == whole.content[44:]
        made = np.repeat(np.arange(1, 4), WORD_SAMPLES).astype(np.int16)
        assert samples_of(whole.content) == resample(made, 24_000, rate).tolist()
        assert len(samples_of(whole.content)) == round(0.3 * rate)


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000])
@pytest.mark.parametrize("stream", [True, False])
async def test_mp3_is_bare_frames_up_to_the_last_sound(rate: int, stream: bool) -> None:
    text = " ".join(["word"] * 10)
    body = {"text": text, "format": "mp3", "sample_rate": rate, "stream": stream}
    answer = await post(server(FakeEngine()).asgi, PATH, body)
    assert answer.headers["content-type"] == "audio/mpeg"
    assert answer.content[0] == 0xFF
    assert b"Xing" not in answer.content
    with av.open(io.BytesIO(answer.content)) as decoded:
        length = sum(frame.samples for frame in decoded.decode(audio=0))
        assert (decoded.streams.audio[0].rate, decoded.streams.audio[0].channels) == (rate, 1)
    assert 1.0 <= length / rate <= 1.25
    assert len(answer.content) * 8 / (length / rate) == pytest.approx(48_000, rel=0.03)


async def test_louder_than_loud_is_not_turned_around() -> None:
    answer = await post(server(FakeEngine()).asgi, PATH, {"text": "LOUD", "sample_rate": 24000})
    assert set(samples_of(answer.content)) == {32767, -32768}
    answer = await post(
        server(FakeEngine()).asgi, PATH, {"text": "LOUD " * 3, "sample_rate": 22050}
    )
    samples = np.array(samples_of(answer.content))
    at = np.arange(len(samples)) * 24_000 / 22_050
    level = np.abs(at % LOUD_HALF_WAVE - LOUD_HALF_WAVE / 2) < LOUD_HALF_WAVE / 2 - 3
    high = at // LOUD_HALF_WAVE % 2 == 0
    assert (samples.min(), samples.max()) == (-32767, 32767)  # the overshoot is cut,
    assert ((samples > 0) == high)[level].all()  # not turned around


FORMAT = "format must be one of ['wav', 'mp3']"
VOICE = "voice must be one of ['af_heart', 'am_adam']"
RATE = "sample_rate must be one of [8000, 16000, 22050, 24000]"


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"{", 400, "the body is no JSON object (bad_json)"),
        (b"[1]", 400, "the body is no JSON object (not_an_object)"),
        (b"\xff", 400, "the body is no JSON object (bad_encoding)"),
        ({}, 400, "text is required"),
        ({"text": ""}, 400, "text is required"),
        ({"text": 7}, 400, "text is required"),
        ({"text": "x" * 5001}, 400, "text may have 5000 characters"),
        ({"text": "x", "format": "ogg"}, 400, FORMAT),
        ({"text": "x", "format": ["wav"]}, 400, FORMAT),
        ({"text": "x", "voice": "zz"}, 400, VOICE),
        ({"text": "x", "sample_rate": 44100}, 400, RATE),
        ({"text": "x", "speed": 3}, 400, "speed must be between 0.5 and 2.0"),
        ({"text": "x", "speed": "fast"}, 400, "speed must be a number"),
        ({"text": "x", "stream": "no"}, 400, "stream must be true or false"),
        ({"text": "x", "request_timestamp": 1}, 408, "request_stale"),
        ({"text": "x", "request_timestamp": "now"}, 400, "request_timestamp must be a number"),
        ({"text": "One FAIL", "stream": False}, 500, "synthesis failed"),
        ({"text": "FAIL"}, 500, "synthesis failed"),
        # the reference's order of checks
        ({"request_timestamp": 1}, 408, "request_stale"),
        ({"format": "ogg"}, 400, "text is required"),
        ({"text": "x", "format": "ogg", "voice": "zz"}, 400, FORMAT),
        ({"text": "x", "voice": "zz", "sample_rate": 1}, 400, VOICE),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_told(body: Any, status: int, error: str) -> None:
    engine = FakeEngine()
    answer = await post(server(engine).asgi, PATH, body)
    assert (answer.status_code, answer.json()) == (status, {"error": error})
    assert (engine.running, engine.sessions) == (0, 0)


async def test_fields_left_out_or_null_have_the_reference_defaults() -> None:
    engine = FakeEngine()
    fields = ("voice", "speed", "format", "sample_rate", "stream", "request_timestamp")
    answer = await post(server(engine).asgi, PATH, {"text": "x"} | dict.fromkeys(fields))
    assert answer.headers["content-type"] == "audio/wav"
    assert engine.opened == [("af_heart", 1.0)]


async def test_a_fresh_request_is_not_stale_nor_one_of_the_future() -> None:
    for made in (time.time() - 50, time.time() + 1000):
        body = {"text": "x", "request_timestamp": made}
        assert (await post(server(FakeEngine()).asgi, PATH, body)).status_code == 200


async def test_a_request_that_waits_too_long_is_stale_too() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    app = server(engine, ServerLimits(request_age_s=0.05)).asgi
    answer = await post(app, PATH, {"text": "x"})
    assert (answer.status_code, answer.json()) == (408, {"error": "request_stale"})
    assert (engine.running, engine.sessions) == (0, 0)


async def test_a_full_server_says_so_at_once_with_its_depth() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    app = server(engine, ServerLimits(requests=1)).asgi
    first = FakeRequest(app, PATH, {"text": "x"})
    task = first.start()
    await engine.begun.wait()
    refused = await post(app, PATH, b"not even JSON")
    assert refused.status_code == 503
    assert refused.json() == {"error": "queue_saturated", "queue_depth": 1, "max_queue_depth": 1}
    assert refused.headers["retry-after"] == "1"
    engine.gate.set()
    await task
    assert (await post(app, PATH, {"text": "x"})).status_code == 200


async def test_a_busy_engine_is_the_same_answer_with_its_own_wait() -> None:
    answer = await post(server(FakeEngine()).asgi, PATH, {"text": "BUSY"})
    assert answer.status_code == 503
    assert answer.json() == {"error": "queue_saturated", "queue_depth": 1, "max_queue_depth": 64}
    assert answer.headers["retry-after"] == "3"


async def test_no_body_however_wrong_keeps_a_place() -> None:
    """Fault 7: each malformed body took a slot for ever."""
    app = server(FakeEngine(), ServerLimits(requests=2))
    for body in (b"{", b"", b"[]", b"\xff", b"{" * 50_000, b"x" * 300_000) * 5:
        assert (await post(app.asgi, PATH, body)).status_code in (400, 413)
    assert app.service.requests == 0


async def test_who_hangs_up_frees_the_model_and_the_place() -> None:
    engine = FakeEngine()
    app = server(engine)
    for body in ({"text": "word " * 50}, {"text": "word " * 50, "stream": False}):
        engine.gate.clear()
        engine.begun.clear()
        request = FakeRequest(app.asgi, PATH, body)
        task = request.start()
        await engine.begun.wait()
        request.leave()
        async with asyncio.timeout(5):
            await task
        assert (engine.running, engine.sessions, app.service.requests) == (0, 0, 0)
        engine.gate.set()


async def test_a_slow_reader_does_not_hold_the_others() -> None:
    """Fault 4: one lock, held for the length of the answer's delivery."""
    engine = FakeEngine()
    app = server(engine).asgi
    asleep = FakeRequest(app, PATH, {"text": "word " * 100})
    asleep.reading.clear()
    task = asleep.start()
    await engine.begun.wait()
    for _ in range(3):
        assert (await post(app, PATH, {"text": "One two."})).status_code == 200
    assert engine.made <= 3 * 2 + 3
    asleep.leave()
    asleep.reading.set()
    await task


async def test_a_reader_that_never_reads_is_given_up() -> None:
    engine = FakeEngine()
    app = server(engine, ServerLimits(idle_s=0.05))
    asleep = FakeRequest(app.asgi, PATH, {"text": "word " * 100})
    asleep.reading.clear()
    async with asyncio.timeout(5):
        await asleep.start()
    assert (engine.running, engine.sessions, app.service.requests) == (0, 0, 0)


async def test_the_first_samples_leave_before_the_last_are_made() -> None:
    engine = FakeEngine()
    request = FakeRequest(server(engine).asgi, PATH, {"text": "One two three."})
    engine.gate.set()
    task = request.start()
    start = await request.parts.get()
    engine.gate.clear()
    first = await request.parts.get()
    assert start["status"] == 200
    assert len(first["body"]) >= 44 + 2 * WORD_SAMPLES
    assert engine.made < 3
    engine.gate.set()
    await task


async def test_speech_that_fails_on_the_way_leaves_the_body_short() -> None:
    request = FakeRequest(server(FakeEngine()).asgi, PATH, {"text": "One FAIL two."})
    await request.start()
    parts = [request.parts.get_nowait() for _ in range(request.parts.qsize())]
    assert parts[0]["status"] == 200
    assert all(part.get("more_body") for part in parts[1:])


async def test_nothing_speakable_is_an_answer_without_sound() -> None:
    answer = await post(server(FakeEngine()).asgi, PATH, {"text": "  "})
    assert (answer.status_code, len(answer.content)) == (200, 44)
