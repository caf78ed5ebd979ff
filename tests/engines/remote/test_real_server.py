"""Client and server understand each other over a socket, also when the server is killed."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from loguru import logger

from server.speech.auth import Tokens
from speech.engines.remote.websocket import websocket_url
from speech.engines.server import ServerEngine
from speech.errors import (
    EarshotError,
    EngineBusyError,
    EngineError,
    EngineRefusedError,
    UnknownVoiceError,
    UsageError,
)
from tests.engines.fake_voice import WORD, FakeVoice, Plan, heard
from tests.engines.remote.served import served
from tests.engines.remote.test_recovery import ALL, TEXT, WORDS, lengths

TOKEN = "a-token-that-opens-the-server"
ROOT = Path(__file__).parents[3]
LONG = " ".join(f"w{number}" for number in range(25))


@asynccontextmanager
async def connected(voice: FakeVoice, **options: object) -> AsyncIterator[ServerEngine]:
    async with served(voice) as url:
        engine = ServerEngine(url, **options)  # type: ignore[arg-type]
        yield engine
        await engine.aclose()


@pytest.mark.parametrize("protocol", ["auto", 0])
async def test_units_are_spoken_as_the_engine_behind_it_speaks_them(protocol: object) -> None:
    voice = FakeVoice(sizes=(1, 700, 30_000))
    voice.names = ["af_heart", "fake"]
    async with connected(voice, protocol=protocol) as engine:
        session = await engine.open("af_heart")
        for _ in range(2):
            words, samples = await heard(session.speak("u", TEXT))
            assert words == ([] if protocol == 0 else WORDS)
            assert lengths(samples) == ALL


async def test_a_server_that_is_starting_is_waited_for_and_not_busy() -> None:
    async with served(FakeVoice(), ready=False) as url:
        engine = ServerEngine(url)
        with pytest.raises(EngineError, match="starting or stopping") as refused:
            await engine.start()
        assert not isinstance(refused.value, EngineBusyError)
        await engine.aclose()


@pytest.mark.parametrize("url", ["ws://secret@127.0.0.1:9", "ws://user:secret@:9"])
async def test_no_message_repeats_a_password_in_the_address(url: str) -> None:
    with pytest.raises(EarshotError) as refused:
        await ServerEngine(url).start()
    assert "secret" not in str(refused.value)


async def test_a_cancelled_unit_stops_at_the_server_and_the_next_one_speaks() -> None:
    voice = FakeVoice(silent_after=3)
    async with connected(voice) as engine:
        session = await engine.open("fake")
        for number in range(5):
            unit = session.speak(str(number), TEXT)
            assert [(await anext(unit)).words[0].text for _ in range(3)] == WORDS[:3]
            session.cancel(str(number))
            assert await heard(unit) == ([], [])
        voice.plan = Plan()
        assert lengths((await heard(session.speak("last", TEXT)))[1]) == ALL


async def test_a_failed_unit_is_an_error_and_the_next_one_speaks() -> None:
    voice = FakeVoice(fails_after=1)
    async with connected(voice) as engine:
        session = await engine.open("fake")
        with pytest.raises(EngineError, match="could not be spoken"):
            await heard(session.speak("u", TEXT))
        voice.plan = Plan()
        assert (await heard(session.speak("u", TEXT)))[0] == WORDS
        with pytest.raises(UnknownVoiceError, match="fake"):
            await engine.open("af_hart")


async def test_a_token_opens_the_server_and_is_told_to_nobody() -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, level=0)
    try:
        async with served(FakeVoice(), Tokens([TOKEN])) as url:
            engine = ServerEngine(url, token=f" {TOKEN}\n")  # as a file's reader may give it
            session = await engine.open("fake")
            assert (await heard(session.speak("u", TEXT)))[0] == WORDS
            await engine.aclose()
            for wrong in (None, TOKEN[:-1] + "x"):
                engine = ServerEngine(url, token=wrong)
                with pytest.raises(EngineRefusedError, match="EARSHOT_TTS_SERVER_TOKEN") as caught:
                    await engine.start()
                assert TOKEN[:-1] not in str(caught.value) + repr(caught.value)
    finally:
        logger.remove(sink)
    assert TOKEN[:-1] not in "".join(lines)


@pytest.mark.parametrize(
    "token", ["two\nlines: of it", "two words", "schlüssel", "tab\tbed", "\x7f"]
)
def test_a_token_that_no_header_carries_is_refused_and_not_repeated(token: str) -> None:
    """The library's own message would have it in the log."""
    with pytest.raises(UsageError, match="EARSHOT_TTS_SERVER_TOKEN") as caught:
        ServerEngine("ws://localhost:1", token=token)
    assert token not in str(caught.value)


async def test_what_is_no_speech_server_is_one_line() -> None:
    async with served(FakeVoice()) as url:
        with pytest.raises(EngineRefusedError, match="is this a speech server's address"):
            await ServerEngine(f"{url}/elsewhere").start()
    with pytest.raises(EngineError, match=r"no speech server at .*earshot serve") as caught:
        await ServerEngine(url).start()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("ws://host:9000", "ws://host:9000/invocations-bidirectional-stream"),
        ("https://host/", "wss://host/invocations-bidirectional-stream"),
        ("host:80", "ws://host:80/invocations-bidirectional-stream"),
        ("wss://host/some/path?a=b", "wss://host/some/path?a=b"),
    ],
)
def test_addresses(given: str, meant: str) -> None:
    assert websocket_url(given) == meant


@pytest.mark.parametrize("bad", ["", "ftp://host", "ws://", "ws://host:0", "ws://host:x"])
def test_bad_addresses_are_refused(bad: str) -> None:
    with pytest.raises(UsageError, match="no address of a speech server"):
        websocket_url(bad)


def test_a_certificate_file_that_holds_none_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pem", Path(__file__)):
        with pytest.raises(UsageError, match="ca_file"):
            ServerEngine("wss://127.0.0.1:1", ca_file=path)


async def start_server(port: int) -> tuple[asyncio.subprocess.Process, int]:
    command = [sys.executable, "-m", "tests.engines.remote.served", str(port)]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout
    return process, int(await process.stdout.readline())


async def test_a_killed_server_that_is_started_again_costs_no_word() -> None:
    """``kill -9`` in the middle of a unit; the client is told nothing."""
    server, port = await start_server(0)
    engine = ServerEngine(f"ws://127.0.0.1:{port}", recover_s=60)
    session = await engine.open("fake")
    said: list[str] = []
    samples: list[int] = []
    midway = asyncio.Event()

    async def read() -> None:
        for unit in ("u1", "u2", "u3"):
            async for chunk in session.speak(unit, LONG):
                samples.extend(chunk.samples.tolist())
                said.extend(word.text for word in chunk.words)
                if len(said) == 30:  # in the second unit
                    midway.set()

    try:
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            group.create_task(read())
            await midway.wait()
            server.send_signal(signal.SIGKILL)
            await server.wait()
            server, _ = await start_server(port)
    finally:
        server.kill()
        await server.wait()
    await engine.aclose()
    assert said == LONG.split() * 3
    assert [number for number, _ in lengths(samples)] == [*range(1, 26)] * 3
    assert all(WORD <= length < 2 * WORD for _, length in lengths(samples))
