"""Without a token nobody gets in, with any of several everybody does; pages of others never."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.speech.auth import Tokens
from speech.errors import UsageError
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.http import client, get, post
from tests.speech_server.socket import FakeSocket, connected, server

OLD, NEW = "a-token-of-yesterday", "a-token-of-tomorrow"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("path", ["/metrics", "/voices", "/version", "/schema"])
async def test_pages_need_a_token_and_ping_does_not(path: str) -> None:
    app = server(FakeEngine(), tokens=Tokens([OLD, NEW])).asgi
    assert (await get(app, "/ping")).status_code == 200
    refused = await get(app, path)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    for token in (OLD, NEW):
        assert (await get(app, path, **bearer(token))).status_code == 200


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic x", f"Bearer {OLD}x", f"Bearer {OLD[:-1]}", OLD, "é"]
)
async def test_speech_needs_the_whole_token(header: str) -> None:
    app = server(FakeEngine(), tokens=Tokens([OLD])).asgi
    async with client(app) as http:
        headers = {b"authorization": header.encode("latin-1")}
        answer = await http.post("/invocations", content=b"{}", headers=headers)
    assert answer.status_code == 401


async def test_a_websocket_is_refused_before_it_is_one() -> None:
    app = server(FakeEngine(), tokens=Tokens([OLD])).asgi
    socket = FakeSocket(app)
    await socket.run()
    assert socket.status == 401
    async with connected(app, headers=bearer(OLD), hello={}) as socket:
        assert socket.status == 101


async def test_tokens_in_a_file_change_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# ours\n{OLD}  # old\n")
    tokens = Tokens(file=file)
    app = server(FakeEngine(), tokens=tokens).asgi
    assert (await get(app, "/voices", **bearer(OLD))).status_code == 200
    file.write_text(f"{NEW}\n")
    os.utime(file, ns=(1, 1))
    assert (await get(app, "/voices", **bearer(OLD))).status_code == 401
    assert (await get(app, "/voices", **bearer(NEW))).status_code == 200
    file.unlink()
    assert (await get(app, "/voices", **bearer(NEW))).status_code == 200


def test_a_short_token_and_a_missing_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="under 16 characters"):
        Tokens(["secret"])
    with pytest.raises(UsageError, match="tokens_file"):
        Tokens(file=tmp_path / "none")


@pytest.mark.parametrize(
    "word", ["a token of several words", "schlüssel-zum-server", "a" * 20 + "\x7f"]
)
def test_a_token_that_no_client_could_send_is_told_and_not_repeated(
    word: str, tmp_path: Path
) -> None:
    (tmp_path / "tokens").write_text(word, encoding="utf-8")
    for make in (lambda: Tokens([word]), lambda: Tokens(file=tmp_path / "tokens")):
        with pytest.raises(UsageError, match="nobody could send") as caught:
            make()
        assert word not in str(caught.value)


async def test_a_page_of_another_site_is_refused_unless_it_is_named() -> None:
    evil, good = "https://evil.example", "https://good.example"
    app = server(FakeEngine()).asgi
    assert (await post(app, "/invocations", {"text": "x"}, Origin=evil)).status_code == 403
    same = await post(app, "/invocations", {"text": "x"}, Origin="http://127.0.0.1:8080")
    assert same.status_code == 200
    assert "access-control-allow-origin" not in same.headers
    rebound = {"Origin": "http://evil.example:8080", "Host": "evil.example:8080"}
    assert (await post(app, "/invocations", {"text": "x"}, **rebound)).status_code == 403
    app = server(FakeEngine(), origins=[good]).asgi
    allowed = await post(app, "/invocations", {"text": "x"}, Origin=good)
    assert allowed.headers["access-control-allow-origin"] == good
    assert (await post(app, "/invocations", {"text": "x"}, Origin=evil)).status_code == 403


async def test_a_page_of_a_named_site_may_ask_first() -> None:
    app = server(FakeEngine(), origins=["https://good.example"], tokens=Tokens([OLD])).asgi
    async with client(app) as http:
        asks = {
            "Origin": "https://good.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        answer = await http.options("/invocations", headers=asks)
    assert answer.status_code == 200
