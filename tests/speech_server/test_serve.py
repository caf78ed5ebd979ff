"""``earshot serve`` is warm before it says so, speaks, and lets what is said end."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from websockets.asyncio.client import connect

from bot import speech_server
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.speech_server import Stages, limits_of, refuse_public, serve
from server.speech.app import SESSION_PATH
from server.speech.auth import Tokens
from speech.errors import EarshotError, EngineError, UsageError
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.running import until

TOKEN = "a-token-of-16-or-more"


class Served:
    """``serve`` in a task; ``url`` once it is warm."""

    def __init__(self, engine: FakeEngine, patch: pytest.MonkeyPatch, **keys: Any) -> None:
        patch.setattr(speech_server, "build_voice", lambda *_: engine)
        self.marks: list[str] = []
        self._ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        settings = Settings.model_validate({"serve": {"port": 0, **keys}})
        environ = {"WARMUP_TEXT": "Warm one two.", "EARSHOT_SERVE_TOKENS": TOKEN}
        self.task = asyncio.create_task(
            serve(
                settings,
                Secrets(environ),
                notify=lambda line: None,
                mark=self.marks.append,
                on_ready=self._ready.set_result,
            )
        )

    async def url(self) -> str:
        async with asyncio.timeout(10):
            return await self._ready

    async def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(10):
            await self.task


HEADERS = {"Authorization": f"Bearer {TOKEN}"}


async def test_it_is_ready_once_it_is_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()
    served = Served(engine, monkeypatch)
    async with httpx.AsyncClient(base_url=await served.url(), headers=HEADERS) as http:
        assert (await http.get("/ping")).text == "OK"
        assert (await http.get("/version")).json()["model"] == "fake-kokoro"
        assert b"earshot_ready 1.0" in (await http.get("/metrics")).content
        assert (await http.get("/voices")).json()["voices"] == ["af_heart", "am_adam"]
        assert (await http.get("/schema")).json()["title"]
        assert (await http.post("/invocations", json={"text": "Hi."})).status_code == 200
    await served.stop()
    assert engine.spoken == ["Warm one two.", "Hi."]
    names = [
        re.fullmatch(r"=== STAGE (\w+) t=\S+Z elapsed_s=\d+\.\d{3} ===", m) for m in served.marks
    ]
    assert [match and match[1] for match in names] == [
        "framework_init",
        "weights_ready",
        "warmup_done",
        "ready",
    ]


async def test_before_that_ping_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()
    engine.gate.clear()
    monkeypatch.setattr(speech_server, "url_of", lambda sock, *_: addresses.append(sock) or "x")
    addresses: list[Any] = []
    served = Served(engine, monkeypatch)
    await engine.begun.wait()
    url = f"http://127.0.0.1:{addresses[0].getsockname()[1]}"
    async with httpx.AsyncClient(base_url=url, headers=HEADERS) as http:
        assert (await http.get("/ping")).status_code == 503
        refused = await http.post("/invocations", json={"text": "Hi."})
        assert (refused.status_code, refused.json()) == (503, {"error": "not_ready"})
        engine.gate.set()
        await served.url()
        assert (await http.get("/ping")).status_code == 200
    await served.stop()


async def test_sigterm_lets_what_is_said_end(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()
    served = Served(engine, monkeypatch)
    address = (await served.url()).removeprefix("http://")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with connect(f"ws://{address}{SESSION_PATH}", additional_headers=headers) as client:
        await client.send('{"type":"hello","version":1}')
        await until(client, "ready")
        engine.gate.clear()
        await client.send(json.dumps({"type": "speak", "id": "u1", "text": "One two."}))
        await until(client, "started")
        os.kill(os.getpid(), signal.SIGTERM)
        await until(client, "draining")
        engine.gate.set()
        assert (await until(client, "done"))["audio_s"] == 0.2
        assert (await until(client, "closed"))["reason"] == "draining"
    async with asyncio.timeout(10):
        await served.task


async def test_a_warm_up_that_fails_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()

    async def calibrate(voice: str) -> bool:
        raise EngineError("no")

    engine.calibrate = calibrate  # type: ignore[method-assign]
    served = Served(engine, monkeypatch)
    await served.url()
    await served.stop()
    assert "warmup_done" in served.marks[2]


async def test_a_model_that_does_not_load_is(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FakeEngine()

    async def start() -> None:
        raise EngineError("no model")

    engine.start = start  # type: ignore[method-assign]
    with pytest.raises(EarshotError, match="no model"):
        await Served(engine, monkeypatch).task


def test_it_does_not_listen_to_the_world_without_a_token() -> None:
    public = Settings.model_validate({"serve": {"host": "0.0.0.0"}}).serve
    with pytest.raises(UsageError, match="EARSHOT_SERVE_TOKENS"):
        refuse_public(public, Tokens())
    refuse_public(public, Tokens([TOKEN]))
    refuse_public(public.model_copy(update={"allow_public": True}), Tokens())
    refuse_public(Settings().serve, Tokens())


@pytest.mark.parametrize("tts", [{"engine": "server"}, {"fallback": "server"}])
async def test_it_does_not_speak_through_itself(tts: dict[str, str]) -> None:
    settings = Settings.model_validate({"tts": tts, "serve": {"port": 0}})
    with pytest.raises(UsageError, match="this machine's own voice"):
        await serve(settings, Secrets(), notify=print)


def test_the_container_variables_of_the_reference_are_honoured() -> None:
    limits = limits_of(Settings().serve, {"MAX_QUEUE_DEPTH": "50", "MAX_REQUEST_AGE_S": "10"})
    assert (limits.requests, limits.request_age_s) == (50, 10.0)
    assert limits_of(Settings().serve, {"MAX_QUEUE_DEPTH": "0"}).requests == 0
    assert limits_of(Settings().serve, {}).request_age_s == 56.0
    for wrong in ("many", "-1", "inf"):
        with pytest.raises(UsageError, match="MAX_QUEUE_DEPTH"):
            limits_of(Settings().serve, {"MAX_QUEUE_DEPTH": wrong})


def test_stages_count_from_the_start_of_the_container() -> None:
    marks: list[str] = []
    Stages(marks.append, {"CONTAINER_START_EPOCH": "1000"}).reached("ready")
    elapsed_s = float(marks[0].split("elapsed_s=")[1].split()[0])
    assert elapsed_s > 1e9


async def test_with_a_certificate_it_speaks_https(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    pem, key = tmp_path / "server.pem", tmp_path / "server.key"
    pem.write_bytes(b"".join(blob.bytes() for blob in certificate.cert_chain_pems))
    certificate.private_key_pem.write_to_path(str(key))
    served = Served(FakeEngine(), monkeypatch, certificate=str(pem), key=str(key))
    url = await served.url()
    assert url.startswith("https://")
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    async with httpx.AsyncClient(base_url=url, verify=trust) as http:
        assert (await http.get("/ping")).text == "OK"
    await served.stop()


async def test_bad_tls_files_are_told(tmp_path: Path) -> None:
    settings = Settings.model_validate({"serve": {"certificate": str(tmp_path / "none.pem")}})
    with pytest.raises(UsageError, match=r"serve\.certificate"):
        await serve(settings, Secrets(), notify=print)
