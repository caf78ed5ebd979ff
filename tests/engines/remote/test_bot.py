"""Which engine speaks is a matter of the configuration, and what is wrong with it is one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot import cli
from bot.config.loader import load
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.doctor.remote_voice import check_remote_voice
from bot.voice import build_engine, build_voice, voice_models
from server.speech.auth import Tokens
from speech.engines.fallback import FallbackEngine
from speech.engines.server import ServerEngine
from speech.errors import UsageError
from tests.engines.fake_voice import FakeVoice
from tests.engines.remote.served import served

TOKEN = "a-token-that-opens-the-server"
NAME = "EARSHOT_TTS_SERVER_TOKEN"


def settings(**tts: Any) -> Settings:
    return Settings.model_validate({"tts": tts})


@pytest_asyncio.fixture
async def url() -> AsyncIterator[str]:
    voice = FakeVoice()
    voice.names = ["af_heart", "am_adam"]
    async with served(voice, Tokens([TOKEN])) as address:
        yield address


@pytest.mark.parametrize(
    ("tts", "models"),
    [
        ({}, ["kokoro-82m-int8", "kokoro-voices"]),
        ({"engine": "server"}, []),
        ({"engine": "server", "fallback": "kokoro_onnx"}, ["kokoro-82m-int8", "kokoro-voices"]),
        ({"engine": "kokoro_torch", "fallback": "server"}, ["kokoro-voices", "kokoro-82m-torch"]),
    ],
)
def test_only_what_speaks_here_needs_models(tts: dict[str, Any], models: list[str]) -> None:
    assert voice_models(settings(**tts).tts) == models


def test_engines_are_built_without_a_network() -> None:
    assert isinstance(build_engine(settings(engine="server")), ServerEngine)
    both = build_engine(settings(engine="server", fallback="kokoro_onnx", fallback_voice="b"))
    assert isinstance(both, FallbackEngine)
    assert both.name == "server, else kokoro_onnx"
    assert both.second_voice == "b"
    assert build_voice(settings(engine="server")).name == "server"
    with pytest.raises(UsageError, match="no address of a speech server"):
        build_engine(settings(engine="server", server={"url": "ftp://x"}))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["tts.engine=sagemaker"], "tts.sagemaker.endpoint must be set"),
        (["tts.fallback=kokoro_onnx"], "tts.fallback must be another engine"),
        (["tts.engine=servr"], "did you mean server?"),
        (["tts.server.token=abc"], "token"),
    ],
)
def test_what_does_not_fit_is_one_line(flags: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("?", r"\?")) as caught:
        load(None, overrides=flags, environ={})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("token", "voice", "status", "said"),
    [
        (TOKEN, "am_adam", "ok", "am_adam, of 2 voices"),
        (TOKEN, "am_adan", "fail", "there is no voice 'am_adan'; there are: af_heart, am_adam"),
        ("wrong", "am_adam", "fail", NAME),
    ],
)
async def test_doctor_asks_the_server(
    url: str, token: str, voice: str, status: str, said: str
) -> None:
    given = settings(engine="server", voice=voice, server={"url": url})
    [check] = await asyncio.to_thread(check_remote_voice, given, Secrets({NAME: token}))
    assert (check.name, check.status) == ("voice server", status)
    assert said in check.detail


def test_doctor_has_nothing_to_ask_where_the_voice_is_here() -> None:
    assert check_remote_voice(settings(), Secrets()) == []


async def test_say_speaks_through_the_server(
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(NAME, TOKEN)
    remote = ["--set", "tts.engine=server", "--set", f"tts.server.url={url}"]
    file = tmp_path / "said.wav"
    words = ["say", "Good morning to you.", "-o", str(file), "--json", *remote]
    assert await asyncio.to_thread(cli.main, words) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["engine"], record["audio_s"]) == ("server", 0.4)
    assert [word for word, *_ in record["words"]] == ["Good", "morning", "to", "you"]
    assert file.stat().st_size > 0.4 * 48_000
    assert await asyncio.to_thread(cli.main, ["say", "--voices", *remote]) == 0
    assert capsys.readouterr().out.split() == ["af_heart", "am_adam"]
