"""A server that stops takes nothing new, says what it has taken, and does not wait for ever."""

from __future__ import annotations

import asyncio

from server.speech.limits import ServerLimits
from tests.speech_server.fake_engine import FakeEngine
from tests.speech_server.http import FakeRequest, get, post
from tests.speech_server.socket import connected, server
from tests.speech_server.test_session import kinds


async def test_a_server_that_drains_says_what_it_has_taken() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    app = server(engine)
    async with connected(app.asgi, hello={}) as socket:
        socket.say(type="speak", id="u1", text="One.")
        await socket.until("started")
        draining = asyncio.create_task(app.service.drain())
        assert (await socket.hear())["type"] == "draining"
        socket.say(type="speak", id="u2", text="Two.")
        assert (await socket.hear())["reason"] == "draining"
        async with connected(app.asgi) as late:
            assert late.status == 503
        engine.gate.set()
        heard = await socket.rest()
        assert await draining
    assert kinds(heard) == ["words", "audio", "done", "closed"]
    assert socket.close_code == 1001


async def test_a_request_that_is_answered_is_answered_to_its_end() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    app = server(engine)
    request = FakeRequest(app.asgi, "/invocations", {"text": "One two."})
    task = request.start()
    await engine.begun.wait()
    draining = asyncio.create_task(app.service.drain())
    await asyncio.sleep(0)
    assert (await get(app.asgi, "/ping")).status_code == 503
    refused = await post(app.asgi, "/invocations", {"text": "Late."})
    assert (refused.status_code, refused.json()) == (503, {"error": "draining"})
    assert refused.headers["retry-after"] == "1"
    assert not draining.done()
    engine.gate.set()
    assert await draining
    await task
    parts = [request.parts.get_nowait() for _ in range(request.parts.qsize())]
    assert sum(len(part.get("body", b"")) for part in parts) == 44 + 2 * 4800


async def test_what_takes_too_long_is_cut() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    app = server(engine, ServerLimits(drain_s=0.05))
    async with connected(app.asgi, hello={}) as socket:
        socket.say(type="speak", id="u1", text="One.")
        await socket.until("started")
        assert not await app.service.drain()
        assert kinds(await socket.rest()) == ["draining"]
    assert socket.close_code == 1001
    assert (engine.running, engine.sessions) == (0, 0)


async def test_version_0_is_told_by_the_close_alone() -> None:
    app = server(FakeEngine())
    async with connected(app.asgi) as socket:
        socket.say(text="One.", request_id="r1")
        await socket.until("synthesis_start")
        assert await app.service.drain()
        heard = await socket.rest()
    assert heard[-1]["type"] == "synthesis_complete"
    assert socket.close_code == 1001
