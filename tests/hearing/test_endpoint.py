"""A transcription endpoint that fails, stalls or answers nonsense costs one turn and says why."""

import asyncio
import io
import json
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.hearing import build_stt, build_turns
from speech.hearing.endpoint import EndpointRecogniser as Remote
from speech.hearing.recogniser import RecognitionError, Transcript
from tests.hearing.pipeline import APOLOGY, listening, loud
from tests.hearing.sounds import RATE_HZ

SCORED = {
    "text": " Hello there. ",
    "segments": [{"no_speech_prob": 0.02, "avg_logprob": -0.3}],
}


@dataclass
class FakeServer:
    """Answers POSTs over real HTTP with the scripted (status, body), in order, then the last."""

    answers: list[tuple[int, object]]
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    port: int = 0
    stall: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode().split("\r\n")
                sizes = [line.split(":")[1] for line in lines if "content-length" in line.lower()]
                body = await reader.readexactly(int(sizes[0]))
                self.requests.append((head.decode(), body))
                if self.stall:
                    await reader.read()
                    break
                self._answer(writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()

    def _answer(self, writer: asyncio.StreamWriter) -> None:
        status, content = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        writer.write(
            f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n".encode()
            + data
        )


@asynccontextmanager
async def serving(*answers: tuple[int, object], stall: bool = False) -> AsyncIterator[FakeServer]:
    fake = FakeServer(list(answers), stall=stall)
    server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()


def client(server: FakeServer, model: str = "whisper-1", timeout_s: float = 10) -> Remote:
    return Remote(api_key="key-1", base_url=server.url, model=model, timeout_s=timeout_s)


async def transcribe(recogniser: Remote) -> Transcript:
    try:
        return await recogniser.transcribe(loud(1), RATE_HZ)
    finally:
        await recogniser.aclose()


async def test_the_audio_goes_up_as_wav_and_text_with_scores_comes_back() -> None:
    async with serving((200, SCORED)) as server:
        assert await transcribe(client(server)) == Transcript("Hello there.", 0.02, -0.3)
    head, body = server.requests[0]
    assert head.startswith("POST /v1/audio/transcriptions ")
    assert "Bearer key-1" in head
    assert b"verbose_json" in body
    with wave.open(io.BytesIO(body[body.index(b"RIFF") :])) as sent:
        assert (sent.getframerate(), sent.getnchannels()) == (RATE_HZ, 1)
        assert sent.readframes(RATE_HZ) == loud(1).tobytes()


async def test_half_a_character_and_control_characters_do_not_come_in() -> None:
    async with serving((200, b'{"text": "hello \\ud800 there\\u0000"}')) as server:
        assert (await transcribe(client(server, "small"))).text == "hello \ufffd there"


async def test_models_without_scores_are_not_asked_for_them() -> None:
    async with serving((200, {"text": "Hello."})) as server:
        assert await transcribe(client(server, "gpt-4o-mini-transcribe")) == Transcript("Hello.")
    assert b"verbose_json" not in server.requests[0][1]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {"error": "no"}), "refused the key: set OPENAI_API_KEY or EARSHOT_STT_API_KEY"),
        ((403, {}), "may not use this model"),
        ((404, {}), "check stt.base_url and stt.model"),
        ((429, {}), "too many requests"),
        ((500, {}), r"failed \(HTTP 500\)"),
        ((200, {"no": "text"}), "cannot be read"),
        ((200, b"not json"), "cannot be read"),
        ((200, b""), "cannot be read"),
    ],
)
async def test_each_fault_is_one_line(answer: tuple[int, object], message: str) -> None:
    async with serving(answer) as server:
        with pytest.raises(RecognitionError, match=message) as caught:
            await transcribe(client(server))
    assert "key-1" not in str(caught.value)
    assert len(server.requests) <= 2


async def test_a_passing_fault_is_tried_once_more() -> None:
    async with serving((500, {}), (200, SCORED)) as server:
        assert (await transcribe(client(server))).text == "Hello there."
    assert len(server.requests) == 2


async def test_a_stalling_server_is_given_up() -> None:
    async with serving((200, SCORED), stall=True) as server:
        with pytest.raises(RecognitionError, match=r"did not answer in 0\.2 s"):
            await transcribe(client(server, timeout_s=0.2))


async def test_no_server_says_what_to_check() -> None:
    async with serving((200, SCORED)) as server:
        pass
    with pytest.raises(RecognitionError, match=r"cannot reach .*is stt\.base_url right"):
        await transcribe(client(server))


async def test_silence_in_verbose_answers_has_no_words() -> None:
    """A server that hallucinates on noise gives itself away by its own score."""
    answer = {"text": "Thank you.", "segments": [{"no_speech_prob": 0.9, "avg_logprob": -0.2}]}
    async with serving((200, answer)) as server:
        assert (await transcribe(client(server))).no_speech_prob == 0.9


def endpoint_settings(server: FakeServer) -> Settings:
    return Settings.model_validate(
        {
            "stt": {"kind": "openai", "base_url": server.url, "model": "whisper-1"},
            "turn": {"end": "silence", "silence_s": 0.2},
        }
    )


async def test_in_the_pipeline_a_fault_is_apologised_for_and_the_next_turn_is_heard() -> None:
    async with serving((401, {}), (200, SCORED)) as server:
        settings = endpoint_settings(server)
        stt = build_stt(settings, Secrets({"EARSHOT_STT_API_KEY": "key-2"}), None)
        params = LLMUserAggregatorParams(
            user_turn_strategies=build_turns(settings), empty_user_turn=None
        )
        async with listening(stt, params) as ears:
            for _ in range(2):
                turns = len(ears.turns)
                await ears.speech(True)
                await ears.play(np.concatenate([loud(1)]))
                await ears.speech(False)
                await ears.until_turns(turns + 1)
            await ears.until(lambda: bool(ears.spoken))
            assert ears.turns == ["", "Hello there."]
            assert ears.spoken == [APOLOGY]
    assert "Bearer key-2" in server.requests[0][0]
