"""Speech as server-sent events, in the reference's earlier form and in OpenAI's; OpenAI's API."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import av
import pytest

from tests.speech_server.fake_engine import WORD_SAMPLES, FakeEngine
from tests.speech_server.http import post
from tests.speech_server.socket import server


def events_of(text: str) -> list[tuple[str, Any]]:
    """Name and data of each event."""
    events = []
    for block in text.split("\n\n")[:-1]:
        lines = dict(line.split(": ", 1) for line in block.split("\n"))
        events.append((lines.get("event", ""), json.loads(lines["data"])))
    return events


async def test_the_reference_events() -> None:
    app = server(FakeEngine()).asgi
    body = {"text": "One two.", "transport": "sse", "request_id": "r1"}
    answer = await post(app, "/invocations", body)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-accel-buffering"] == "no"
    (start, begun), *chunks, (end, ended) = events_of(answer.text)
    assert (start, end) == ("audio_stream_start", "audio_stream_end")
    assert begun == {
        "request_id": "r1",
        "format": "wav",
        "voice": "af_heart",
        "sample_rate": 24000,
    }
    assert [(name, data["seq"]) for name, data in chunks] == [
        ("audio_chunk", 0),
        ("audio_chunk", 1),
    ]
    assert ended == {"request_id": "r1", "total_chunks": 2, "duration_s": 0.2}
    binary = await post(app, "/invocations", body | {"transport": "binary"})
    assert b"".join(base64.b64decode(data["data"]) for _, data in chunks) == binary.content


async def test_a_failure_on_the_way_is_an_event() -> None:
    body = {"text": "One FAIL.", "transport": "sse"}
    answer = await post(server(FakeEngine()).asgi, "/invocations", body)
    assert events_of(answer.text)[-1] == (
        "error",
        {"request_id": "unknown", "message": "synthesis failed"},
    )


async def test_a_transport_there_is_not() -> None:
    body = {"text": "x", "transport": "pigeon"}
    answer = await post(server(FakeEngine()).asgi, "/invocations", body)
    assert answer.json() == {"error": "transport must be one of ['binary', 'sse']"}


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("mp3", "audio/mpeg"),
        ("opus", "audio/ogg"),
        ("aac", "audio/aac"),
        ("flac", "audio/flac"),
        ("wav", "audio/wav"),
        ("pcm", "audio/pcm"),
    ],
)
async def test_openai_formats(name: str, media_type: str) -> None:
    text = " ".join(["word"] * 10)
    body = {"model": "kokoro", "input": text, "voice": "am_adam", "response_format": name}
    answer = await post(server(FakeEngine()).asgi, "/v1/audio/speech", body)
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    if name == "pcm":
        assert len(answer.content) == 2 * 10 * WORD_SAMPLES
        return
    with av.open(io.BytesIO(answer.content)) as decoded:
        rate = decoded.streams.audio[0].rate
        length = sum(frame.samples for frame in decoded.decode(audio=0))
    assert 1.0 <= length / rate <= 1.2


async def test_openai_defaults_and_names_of_voices() -> None:
    engine = FakeEngine("af_alloy", "af_heart", "am_adam")
    app = server(engine).asgi
    for voice in ("alloy", "shimmer", "am_adam", None):
        answer = await post(app, "/v1/audio/speech", {"input": "x", "voice": voice, "speed": 1.5})
        assert answer.headers["content-type"] == "audio/mpeg"
    assert [voice for voice, _ in engine.opened] == ["af_alloy", "af_heart", "am_adam", "af_heart"]
    assert {speed for _, speed in engine.opened} == {1.5}


async def test_openai_events() -> None:
    body = {"input": "One two.", "response_format": "pcm", "stream_format": "sse"}
    answer = await post(server(FakeEngine()).asgi, "/v1/audio/speech", body)
    *deltas, (_, done) = events_of(answer.text)
    audio = b"".join(base64.b64decode(data["audio"]) for _, data in deltas)
    assert {data["type"] for _, data in deltas} == {"speech.audio.delta"}
    assert len(audio) == 4 * WORD_SAMPLES
    assert done["type"] == "speech.audio.done"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "input"),
        ({"input": "x", "response_format": "midi"}, "response_format"),
        ({"input": "x", "voice": "nobody"}, "voice"),
        ({"input": "x", "speed": 0.1}, "speed"),
    ],
)
async def test_openai_errors(body: Any, param: str) -> None:
    answer = await post(server(FakeEngine()).asgi, "/v1/audio/speech", body)
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
