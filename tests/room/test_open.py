"""A room that cannot be joined is one line that says what to do, soon and before any model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.config.schema import RoomSettings
from bot.config.secrets import Secrets
from bot.room.daily import daily_room
from bot.room.livekit import OUTPUT_QUEUE_MS, livekit_room
from bot.room.reach import check_reachable
from bot.web.listen import bind, serving, url_of
from speech.errors import EarshotError, UsageError
from tests.room.test_tokens import SECRET

KEYS = {"LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": SECRET}


@pytest.mark.parametrize(
    ("room", "secrets", "told"),
    [
        ({}, KEYS, r"room\.url"),
        ({"url": "ws://127.0.0.1:1"}, KEYS, r"room\.room"),
        ({"url": "ws://127.0.0.1:1", "room": "lobby"}, {}, "LIVEKIT_API_KEY"),
        ({"url": "nonsense", "room": "lobby"}, KEYS, "no address"),
        ({"url": "ws://h:99999999", "room": "lobby"}, KEYS, "no address"),
        ({"url": "ftp://host", "room": "lobby"}, KEYS, "no address"),
        ({"room": "lobby"}, {**KEYS, "LIVEKIT_URL": "ws://"}, "no address"),
    ],
)
async def test_what_livekit_lacks(room: dict[str, str], secrets: dict[str, str], told: str) -> None:
    pytest.importorskip("livekit.api")
    settings = RoomSettings.model_validate(room)
    with pytest.raises(UsageError, match=told) as error:
        await livekit_room(settings, Secrets(secrets), "Earshot", asyncio.Event())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("room", "secrets", "told"),
    [({}, {}, r"room\.url"), ({"url": "https://x.daily.co/lobby"}, {}, "DAILY_API_KEY")],
)
async def test_what_daily_lacks(room: dict[str, str], secrets: dict[str, str], told: str) -> None:
    pytest.importorskip("daily")
    settings = RoomSettings(provider="daily", **room)
    with pytest.raises(UsageError, match=told):
        await daily_room(settings, Secrets(secrets), "Earshot", asyncio.Event())


@pytest.mark.parametrize(
    ("module", "opens"), [("livekit.api", livekit_room), ("daily", daily_room)]
)
async def test_a_missing_extra_says_how_to_install_it(
    module: str, opens: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r"pip install 'earshot\[room\]'"):
        await opens(RoomSettings(), Secrets({}), "Earshot", asyncio.Event())  # type: ignore[operator]


async def test_a_server_that_refuses_is_told_within_the_deadline() -> None:
    with bind("127.0.0.1", 0, "room") as sock:
        url = url_of(sock, "ws")
    async with asyncio.timeout(10):
        with pytest.raises(EarshotError, match=r"127\.0\.0\.1.*cannot be reached.*room\.url"):
            await check_reachable(url)


@asynccontextmanager
async def fake_livekit(status: int = 200) -> AsyncIterator[str]:
    """LiveKit's token check alone: it answers with ``status``."""

    async def validate(request: Request) -> Response:
        assert request.query_params["access_token"]
        return Response(status_code=status)

    sock = bind("127.0.0.1", 0, "room")
    async with serving(Starlette(routes=[Route("/rtc/validate", validate)]), sock):
        yield url_of(sock, "ws")


@pytest.mark.parametrize(
    ("status", "told"), [(401, "LIVEKIT_API_KEY"), (403, "refused"), (404, "no LiveKit server")]
)
async def test_a_refused_token_is_told_before_any_model_is_loaded(status: int, told: str) -> None:
    pytest.importorskip("livekit.api")
    async with fake_livekit(status) as url:
        room = RoomSettings(url=url, room="lobby")
        with pytest.raises(EarshotError, match=told) as error:
            await livekit_room(room, Secrets(KEYS), "Earshot", asyncio.Event())
    assert "\n" not in str(error.value)


async def test_the_transport_is_built_for_speech() -> None:
    pytest.importorskip("livekit.api")
    async with fake_livekit() as url:
        room = RoomSettings(url=url, room="lobby")
        transport, place = await livekit_room(room, Secrets(KEYS), "Earshot", asyncio.Event())
    assert "'lobby'" in place
    params = transport._params  # type: ignore[attr-defined]
    assert params.audio_out_queue_size_ms == OUTPUT_QUEUE_MS
    assert params.audio_in_enabled
    assert not params.audio_in_user_tracks
    assert SECRET not in place
