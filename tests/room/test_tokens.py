"""A room token opens one room, for one participant, with what a talking bot needs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI, HTTPException, Request

from bot.room.daily import meeting_token
from bot.room.livekit import room_token
from bot.web.listen import bind, serving, url_of
from speech.errors import EarshotError, UsageError

SECRET = "a-secret-of-at-least-thirty-two-characters"


def test_livekit_grants() -> None:
    api = pytest.importorskip("livekit.api")
    token = room_token("lobby", "Earshot", "key", SECRET)
    claims = api.TokenVerifier("key", SECRET).verify(token)
    video = claims.video
    assert (video.room_join, video.room, video.agent) == (True, "lobby", True)
    assert video.can_publish
    assert video.can_subscribe
    assert not video.room_admin
    assert not video.room_create
    assert claims.identity.startswith("Earshot-")


def test_livekit_identities_differ() -> None:
    """LiveKit throws the earlier of two equal identities out of the room."""
    api = pytest.importorskip("livekit.api")
    verifier = api.TokenVerifier("key", SECRET)
    tokens = [room_token("lobby", "Earshot", "key", SECRET) for _ in range(2)]
    assert len({verifier.verify(token).identity for token in tokens}) == 2


def test_livekit_tokens_are_signed_with_the_secret() -> None:
    api = pytest.importorskip("livekit.api")
    token = room_token("lobby", "Earshot", "key", SECRET)
    with pytest.raises(Exception, match=r"(?i)signature"):
        api.TokenVerifier("key", SECRET[::-1]).verify(token)


@asynccontextmanager
async def fake_daily_api() -> AsyncIterator[str]:
    """Daily's token endpoint: knows the key ``good``."""
    app = FastAPI()

    @app.post("/meeting-tokens")
    async def tokens(request: Request) -> dict[str, str]:
        key = request.headers["authorization"]
        if key == "Bearer odd":
            return {"no": "token"}
        if key != "Bearer good":
            raise HTTPException(401)
        return {"token": json.dumps((await request.json())["properties"])}

    sock = bind("127.0.0.1", 0, "room")
    async with serving(app, sock):
        yield url_of(sock)


async def test_daily_token_is_for_the_room_and_expires() -> None:
    async with fake_daily_api() as api:
        properties = json.loads(await meeting_token("https://x.daily.co/lobby", "good", api))
        assert properties["room_name"] == "lobby"
        assert properties["exp"] > 0


@pytest.mark.parametrize(("key", "told"), [("bad", "HTTP 401.*DAILY_API_KEY"), ("odd", "no token")])
async def test_what_daily_refuses_is_one_line(key: str, told: str) -> None:
    async with fake_daily_api() as api:
        with pytest.raises(EarshotError, match=told):
            await meeting_token("https://x.daily.co/lobby", key, api)


async def test_daily_out_of_reach_is_one_line() -> None:
    with bind("127.0.0.1", 0, "room") as sock:
        url = url_of(sock)
    with pytest.raises(EarshotError, match="no token"):
        await meeting_token("https://x.daily.co/lobby", "good", url)


async def test_a_daily_address_without_a_room() -> None:
    with pytest.raises(UsageError, match="names no room"):
        await meeting_token("https://x.daily.co/", "good")
