"""The model that answers is the one the configuration, the key or the machine offers, in order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from bot.config.schema import Settings
from bot.llm.policy import Fault, FaultKind
from bot.llm.probe import LocalServer, find_local, model_ids, pick_model
from bot.llm.select import choose, open_llm
from speech.errors import EarshotError, UsageError
from tests.llm.fake_server import FakeOpenAiServer


class FakeSecrets(dict[str, str]):
    """Has ``get``, which is all that is asked of it."""


NO_SECRETS = FakeSecrets()


def llm(**keys: Any) -> Settings:
    return Settings(llm={"provider": "auto", **keys})


@contextmanager
def closed_port() -> Iterator[LocalServer]:
    """Bound, not listening: connecting is refused."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield LocalServer("Closed", f"http://127.0.0.1:{taken.getsockname()[1]}/v1")


@asynccontextmanager
async def mute_server() -> AsyncIterator[LocalServer]:
    """Accepts and says nothing."""

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        yield LocalServer("Mute", f"http://127.0.0.1:{port}/v1")
    finally:
        server.close()


def at(server: FakeOpenAiServer, name: str = "Local") -> LocalServer:
    return LocalServer(name, server.base_url)


async def test_the_named_server_comes_first() -> None:
    async with FakeOpenAiServer(models=["a"]) as server:
        settings = llm(base_url=server.base_url, model="b")
        endpoint = await choose(settings, FakeSecrets(OPENAI_API_KEY="sk-1"))
    assert (endpoint.kind, endpoint.base_url, endpoint.model) == (
        "configured",
        server.base_url,
        "b",
    )


async def test_a_named_server_is_asked_for_its_model() -> None:
    async with FakeOpenAiServer(models=["text-embedding", "chat"]) as server:
        endpoint = await choose(llm(base_url=server.base_url), NO_SECRETS)
    assert endpoint.model == "chat"


async def test_openais_key_is_not_shown_to_a_server_without_tls() -> None:
    secrets = FakeSecrets(OPENAI_API_KEY="sk-1")
    async with FakeOpenAiServer() as server:
        endpoint = await choose(llm(base_url=server.base_url, model="m"), secrets)
        assert "Authorization" not in server.headers[0]
        assert endpoint.api_key == "none"
        secrets["EARSHOT_LLM_API_KEY"] = "own"
        endpoint = await choose(llm(base_url=server.base_url, model="m"), secrets)
        assert server.headers[1]["Authorization"] == "Bearer own"
    assert endpoint.key_name == "EARSHOT_LLM_API_KEY"
    assert "own" not in repr(endpoint)


async def test_the_key_comes_before_local_servers_and_its_url_is_honoured() -> None:
    async with FakeOpenAiServer(models=["remote"]) as server, FakeOpenAiServer() as other:
        secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL=server.base_url)
        endpoint = await choose(llm(), secrets, local_servers=[at(other)])
        assert server.headers[0]["Authorization"] == "Bearer sk-1"
    assert (endpoint.kind, endpoint.model) == ("openai", "remote")
    assert not endpoint.is_openai


async def test_a_refused_key_ends_the_start_with_one_line() -> None:
    async with FakeOpenAiServer(models=401) as server:
        secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL=server.base_url)
        with pytest.raises(EarshotError, match=r"refused the key \(401\): check OPENAI_API_KEY"):
            await choose(llm(), secrets)


async def test_a_server_without_a_model_list_is_taken_at_its_word() -> None:
    async with FakeOpenAiServer(models=404) as server:
        endpoint = await choose(llm(base_url=server.base_url, model="m"), NO_SECRETS)
        assert endpoint.model == "m"
        with pytest.raises(UsageError, match=r"set llm\.model"):
            await choose(llm(base_url=server.base_url), NO_SECRETS)


async def test_local_servers_in_order_without_those_that_cannot_talk() -> None:
    async with (
        mute_server() as mute,
        FakeOpenAiServer(models="<html>hello</html>") as page,
        FakeOpenAiServer(models=[]) as empty,
        FakeOpenAiServer(models=["nomic-embed-text"]) as embedder,
        FakeOpenAiServer(models=500) as broken,
        FakeOpenAiServer(models=["llama"]) as good,
        FakeOpenAiServer(models=["later"]) as later,
    ):
        servers = [mute, *map(at, (page, empty, embedder, broken, good, later))]
        with closed_port() as closed:
            endpoint = await choose(llm(), NO_SECRETS, local_servers=[closed, *servers])
    assert (endpoint.kind, endpoint.model) == ("local", "llama")
    assert endpoint.base_url == good.base_url
    assert "Local" in endpoint.description


async def test_a_named_model_is_looked_for() -> None:
    async with FakeOpenAiServer(models=["a"]) as one, FakeOpenAiServer(models=["b", "c"]) as two:
        found = await find_local("c", [at(one), at(two)])
    assert found == (at(two), "c")


async def test_nothing_found_is_the_embedded_model_unless_more_was_asked() -> None:
    with closed_port() as closed:
        with pytest.raises(UsageError, match=r"llm\.model is 'gpt'"):
            await choose(llm(model="gpt"), NO_SECRETS, local_servers=[closed])
        with pytest.raises(EarshotError, match="no local LLM server"):
            await choose(llm(provider="local"), NO_SECRETS, local_servers=[closed])
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        await choose(llm(provider="openai"), NO_SECRETS)


async def test_an_unreachable_named_server_says_what_to_do() -> None:
    with closed_port() as closed, pytest.raises(EarshotError, match="start the server"):
        await choose(llm(base_url=closed.base_url, model="m"), NO_SECRETS)
    with pytest.raises(UsageError, match="not a URL"):
        await choose(llm(base_url="localhost:8080", model="m"), NO_SECRETS)


async def test_a_wrong_url_is_blamed_on_where_it_is_written() -> None:
    with closed_port() as closed:
        secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL=closed.base_url)
        with pytest.raises(EarshotError, match=r"change OPENAI_BASE_URL,"):
            await choose(llm(), secrets)
    secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL="localhost:1")
    with pytest.raises(UsageError, match=r"^OPENAI_BASE_URL 'localhost:1' is not a URL"):
        await choose(llm(), secrets)
    async with FakeOpenAiServer(models=["m"]) as server:
        secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL=server.base_url)
        endpoint = await choose(llm(), secrets)
    for kind in (FaultKind.NOT_FOUND, FaultKind.NOT_AN_API):
        assert "OPENAI_BASE_URL" in endpoint.line(Fault(kind))


@pytest.mark.parametrize("models", [["m"], 404, 401, 500, "closed"])
async def test_a_password_in_the_url_is_never_said(models: Any) -> None:
    said: list[str] = []
    async with FakeOpenAiServer(models=models) as server:
        url = server.base_url.replace("//", "//user:hunter2@")
        if models == "closed":
            url = url.replace("127.0.0.1", "127.0.0.1:1/")
        for model in ("m", None):
            try:
                endpoint = await choose(llm(base_url=url, model=model), NO_SECRETS)
                said += [endpoint.description, repr(endpoint)]
                said += [endpoint.line(Fault(kind)) for kind in FaultKind]
            except EarshotError as error:
                said.append(str(error))
    assert said
    assert not [line for line in said if "hunter2" in line]


async def test_what_is_not_a_url_may_hold_a_password_too() -> None:
    with pytest.raises(EarshotError) as caught:
        await choose(llm(base_url="user:hunter2@host:80/v1", model="m"), NO_SECRETS)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/v1", "http://u:hunter2@[::1", "http://.."])
async def test_whatever_the_client_raises_is_one_line(url: str) -> None:
    secrets = FakeSecrets(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL=url)
    with pytest.raises(EarshotError, match="does not answer") as caught:
        await choose(llm(), secrets, local_servers=[])
    assert "hunter2" not in str(caught.value)


async def test_the_choice_is_said_once() -> None:
    said: list[str] = []
    async with FakeOpenAiServer() as server:
        settings = llm(base_url=server.base_url, model="m")
        endpoint = await open_llm(settings, NO_SECRETS, notify=said.append)
        await endpoint.aclose()
    assert len(said) == 1
    assert server.base_url in said[0]
    assert "config.yaml" in said[0]


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        (b'{"data": [{"id": "a"}, {"id": "b"}]}', ["a", "b"]),
        (b'{"data": []}', []),
        (b'{"data": null}', []),
        (b'{"data": [1]}', []),
        (b'{"data": [{"name": "a"}]}', []),
        (b'["a"]', []),
        (b"<html>", []),
        (b"\xff\xfe", []),
        (b"", []),
    ],
)
def test_model_lists(body: bytes, ids: list[str]) -> None:
    assert model_ids(body) == ids


def test_picking() -> None:
    assert pick_model(["bge-m3", "Whisper-1", "llama"], None) == "llama"
    assert pick_model(["bge-m3"], None) is None
    assert pick_model(["bge-m3"], "bge-m3") == "bge-m3"
    assert pick_model(["a"], "b") is None
