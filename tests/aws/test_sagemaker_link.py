"""The unmodified SDK carries frames to a container and back as SageMaker's documents say."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.credentials import Credentials
from websockets.asyncio.server import ServerConnection, serve

from speech.engines.aws.access import Access
from speech.engines.aws.errors import (
    ModelFailedError,
    RefusedError,
    SaturatedError,
    ServiceError,
    ServiceTimeoutError,
    StaleRequestError,
    ThrottledError,
)
from speech.engines.link import Link, LinkEndedError
from speech.errors import EngineRefusedError, UsageError
from tests.aws.emulator import ENDPOINT, Emulator
from tests.aws.hooks import Reject
from tests.aws.waiting import until

TEXT = "Grüße, 你好"


class FakeScript:
    """A container that answers a word with what the word says."""

    def __init__(self) -> None:
        self.heard: list[str | bytes] = []
        self.paths: list[str] = []
        self.ended = 0

    async def __call__(self, socket: ServerConnection) -> None:
        self.paths.append(socket.request.path if socket.request else "")
        async for message in socket:
            self.heard.append(message)
            await self._answer(socket, str(message))
        self.ended += 1

    async def _answer(self, socket: ServerConnection, word: str) -> None:
        if word == "text in pieces":
            await socket.send([TEXT[:2], TEXT[2:5], TEXT[5:]])
        elif word == "bytes in pieces":
            await socket.send([b"\x7b\x7d", b"", b"\x00\x01"])
        elif word.startswith("close "):
            await socket.close(int(word[6:]), "as asked")
        elif word == "die":
            socket.transport.abort()
        else:
            await socket.send(word)


@pytest.fixture
def script() -> FakeScript:
    return FakeScript()


@pytest.fixture
async def front(script: FakeScript) -> AsyncIterator[Emulator]:
    async with serve(script, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with Emulator(f"127.0.0.1:{port}") as emulator:
            yield emulator


@pytest.fixture
async def links(front: Emulator) -> AsyncIterator[Any]:
    links = make(front)
    yield links
    await links.aclose()


def make(front: Emulator, endpoint: str = ENDPOINT, **reach: Any) -> Any:
    return links_with(Access(**{**front.reach(), **reach}), endpoint)


def links_with(access: Access, endpoint: str = ENDPOINT) -> Any:
    from speech.engines.aws.sdk_sagemaker import SagemakerLinks

    return SagemakerLinks(endpoint, access, variant=None, connect_timeout_s=5.0)


async def said(link: Link, text: str) -> str | bytes:
    await link.send(text)
    async with asyncio.timeout(5):
        return await link.receive()


async def ending(link: Link, text: str) -> LinkEndedError:
    with pytest.raises(LinkEndedError) as caught:
        await said(link, text)
    with pytest.raises(LinkEndedError):
        await link.send("more")
    with pytest.raises(LinkEndedError):
        await link.receive()
    await link.aclose()
    return caught.value


class TestFrames:
    """One WebSocket frame for each part, both ways."""

    async def test_what_is_said_is_one_text_frame_and_signed(
        self, links: Any, front: Emulator, script: FakeScript
    ) -> None:
        link = await links.connect()
        assert await said(link, TEXT) == TEXT
        assert script.heard == [TEXT]
        assert front.seen.frames == [("text", TEXT.encode(), True)]
        await link.aclose()
        assert script.paths == ["/invocations-bidirectional-stream"]
        assert front.seen.chunks_checked == 1

    async def test_a_container_that_fragments_is_understood(self, links: Any) -> None:
        link = await links.connect()
        assert await said(link, "text in pieces") == TEXT
        assert await said(link, "bytes in pieces") == b"\x7b\x7d\x00\x01"
        await link.aclose()

    @pytest.mark.parametrize("size", [1, 2, 3, 7])
    async def test_fragments_cut_characters_anywhere(
        self, links: Any, front: Emulator, size: int
    ) -> None:
        front.hooks.fragment_bytes = size
        link = await links.connect()
        assert await said(link, TEXT) == TEXT
        await link.aclose()

    async def test_a_receive_that_is_cancelled_loses_no_frame(self, links: Any) -> None:
        link = await links.connect()
        waiting = asyncio.create_task(link.receive())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert await said(link, "one") == "one"
        await link.aclose()

    async def test_sessions_share_one_connection(self, links: Any, front: Emulator) -> None:
        opened = await asyncio.gather(*(links.connect() for _ in range(8)))
        answers = await asyncio.gather(
            *(said(link, str(number)) for number, link in enumerate(opened))
        )
        assert answers == [str(number) for number in range(8)]
        await asyncio.gather(*(link.aclose() for link in opened))

    async def test_the_address_is_sagemakers_with_its_port(self) -> None:
        access = Access(region="eu-west-1")
        vars(access)["session"] = FakeAwsSession()
        async with aclosing(links_with(access)) as links:
            await links._service.start()
            address = links._service._client._config.endpoint_uri
            assert address == "https://runtime.sagemaker.eu-west-1.amazonaws.com:8443"


class TestCredentials:
    """They are those of the AWS tools, and renewed while a conversation goes on."""

    async def test_a_key_that_is_renewed_is_for_the_next_stream(
        self, front: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        keys = tmp_path / "keys.json"
        config = tmp_path / "config"
        config.write_text(f"[profile rotating]\ncredential_process = cat {keys}\n")
        monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
        issue(keys, "KEY1", front)
        async with aclosing(make(front, profile="rotating")) as links:
            first = await links.connect()
            issue(keys, "KEY2", front)
            assert await said(first, "one") == "one"
            second = await links.connect()
            assert await said(second, "two") == "two"
            assert await said(first, "three") == "three"
        signed_by = [request["authorization"] for request in front.seen.requests]
        assert ["KEY1" in signed_by[0], "KEY2" in signed_by[1]] == [True, True]


def issue(keys: Path, name: str, front: Emulator) -> None:
    """A key that is to be renewed at once, and the only one that is known now."""
    front.secrets = {name: f"the secret of {name}"}
    soon = datetime.now(UTC) + timedelta(minutes=5)
    fields = {"Version": 1, "AccessKeyId": name, "SecretAccessKey": front.secrets[name]}
    keys.write_text(json.dumps({**fields, "SessionToken": "t", "Expiration": soon.isoformat()}))


class FakeAwsSession:
    """Has a key; names no file."""

    def get_credentials(self) -> Any:
        return Credentials("a key", "a secret")

    def get_config_variable(self, name: str) -> None: ...


class TestEnds:
    """However a session ends, the other side learns of it and nothing hangs."""

    @pytest.mark.parametrize("code", [1000, 1001, 1011, 4000])
    async def test_a_close_frame_comes_as_an_error_and_is_understood(
        self, links: Any, code: int
    ) -> None:
        ended = await ending(await links.connect(), f"close {code}")
        assert ended.code == code
        assert "as asked" in str(ended)

    async def test_a_container_that_dies(self, links: Any) -> None:
        assert (await ending(await links.connect(), "die")).code is None

    @pytest.mark.parametrize("hook", ["drop_after", "fail_after"])
    async def test_a_service_that_fails_in_the_middle(
        self, links: Any, front: Emulator, hook: str
    ) -> None:
        link = await links.connect()
        setattr(front.hooks, hook, 1)
        assert await said(link, "one") == "one"
        await ending(link, "two")

    async def test_a_sessions_end_in_time(self, links: Any, front: Emulator) -> None:
        front.hooks.session_s = 0.1
        link = await links.connect()
        with pytest.raises(LinkEndedError, match="maximum duration") as caught:
            await link.receive()
        assert caught.value.code is None
        assert link.lifetime_s == 1_800
        await link.aclose()

    async def test_closing_closes_the_containers_socket(
        self, links: Any, front: Emulator, script: FakeScript
    ) -> None:
        link = await links.connect()
        assert await said(link, "one") == "one"
        waiting = asyncio.create_task(link.receive())
        await asyncio.sleep(0)
        await link.aclose()
        await link.aclose()
        with pytest.raises(LinkEndedError):
            await waiting
        await until(lambda: script.ended)
        assert front.seen.half_closed == 1

    async def test_pings_are_sent_and_a_live_container_answers(
        self, links: Any, front: Emulator
    ) -> None:
        front.hooks.ping_s = 0.01
        link = await links.connect()
        for number in range(12):
            assert await said(link, str(number)) == str(number)
            await asyncio.sleep(0.01)
        await link.aclose()

    async def test_a_container_that_answers_no_ping_is_cut_off(
        self, links: Any, front: Emulator
    ) -> None:
        front.hooks.ping_s, front.hooks.pongs_lost = 0.01, True
        link = await links.connect()
        with pytest.raises(LinkEndedError, match="pings"):
            await link.receive()
        await link.aclose()


class TestRefusals:
    """Each refusal is an error of its own kind, and only what may pass is asked again."""

    @pytest.mark.parametrize(
        ("reject", "kind", "tries"),
        [
            (Reject(429, "ThrottlingException"), ThrottledError, 4),
            (Reject(503, "ServiceUnavailableError"), SaturatedError, 4),
            (Reject(500, "InternalServerError"), ServiceError, 4),
            (Reject(400, "InputValidationError"), RefusedError, 1),
            (Reject(403, "AccessDeniedException"), EngineRefusedError, 1),
            (Reject(424, "ModelError", {"OriginalStatusCode": 503}), SaturatedError, 4),
            (Reject(424, "ModelError", {"OriginalStatusCode": 429}), ThrottledError, 4),
            (Reject(424, "ModelError", {"OriginalStatusCode": 408}), StaleRequestError, 1),
            (Reject(424, "ModelError", {"OriginalStatusCode": 500}), ModelFailedError, 4),
        ],
        ids=lambda value: f"{value.status}{value.members}" if isinstance(value, Reject) else "",
    )
    async def test_kind_and_tries(
        self,
        links: Any,
        front: Emulator,
        monkeypatch: pytest.MonkeyPatch,
        reject: Reject,
        kind: type[Exception],
        tries: int,
    ) -> None:
        monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
        front.hooks.rejects.extend([reject] * 5)
        with pytest.raises(kind) as caught:
            await links.connect()
        assert "\n" not in str(caught.value)
        assert 5 - len(front.hooks.rejects) == tries

    async def test_a_throttled_start_succeeds_in_the_end(
        self, links: Any, front: Emulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
        front.hooks.rejects.extend([Reject(429, "ThrottlingException")] * 2)
        link = await links.connect()
        assert await said(link, "one") == "one"
        await link.aclose()

    @pytest.mark.parametrize(
        "headers", [{"retry-after": "0.3"}, {"x-amz-retry-after": "300"}], ids=["HTTP's", "own"]
    )
    async def test_when_to_come_back_is_heeded(
        self,
        links: Any,
        front: Emulator,
        monkeypatch: pytest.MonkeyPatch,
        headers: dict[str, str],
    ) -> None:
        monkeypatch.setattr("speech.engines.aws.retry.BASE_S", 0.001)
        front.hooks.rejects.append(Reject(429, "ThrottlingException", headers=headers))
        begun = time.monotonic()
        await (await links.connect()).aclose()
        assert time.monotonic() - begun >= 0.3
        front.hooks.rejects.append(Reject(503, "ServiceUnavailable", headers={"retry-after": "9"}))
        with pytest.raises(SaturatedError) as caught:  # a listener would not wait so long
            await links.connect()
        assert caught.value.retry_after_s == 9.0

    async def test_no_answer_is_a_timeout(self, front: Emulator) -> None:
        front.hooks.silent = True
        links = make(front)
        links._service.connect_timeout_s = 0.1
        with pytest.raises(ServiceTimeoutError):
            await links._connect()
        await links.aclose()

    async def test_no_container_is_the_models_failure(
        self, links: Any, front: Emulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("speech.engines.aws.retry.ATTEMPTS", 1)
        front.container = "127.0.0.1:9"
        with pytest.raises(ModelFailedError):
            await links._connect()

    async def test_no_such_endpoint(self, front: Emulator) -> None:
        links = make(front, "nobody")
        with pytest.raises(RefusedError, match="nobody"):
            await links.connect()
        await links.aclose()

    async def test_a_wrong_secret_is_refused_by_the_signature(
        self, links: Any, front: Emulator
    ) -> None:
        front.secrets.update(dict.fromkeys(front.secrets, "another"))
        with pytest.raises(RefusedError, match="credentials"):
            await links.connect()

    async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(
        self, front: Emulator
    ) -> None:
        links = make(front, ca_file=None)
        links._service.connect_timeout_s = 0.3  # the SDK hides for long what is wrong with TLS
        with pytest.raises(ServiceError):
            await links._connect()
        await links.aclose()

    async def test_no_credentials_and_no_profile_say_what_to_do(
        self, front: Emulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_CONFIG_FILE", str(front.ca_file.parent / "none"))
        with pytest.raises(EngineRefusedError, match="aws configure"):
            await make(
                front, profile=None, credentials_file=front.ca_file.parent / "none"
            ).connect()
        with pytest.raises(UsageError, match="no profile 'nobody'"):
            await make(front, profile="nobody").connect()
