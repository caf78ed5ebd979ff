"""A caller is greeted, answered, can cut in, and either side's hang-up ends the call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import connect

from bot.phone.app import CALL_PATH
from bot.phone.serve import serve
from tests.phone.carrier import RATE_HZ, Caller, FakeTwilio
from tests.web.running import Running, listener, prompt, reply, require_bot, running

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.models,
    pytest.mark.timeout(420),
    pytest.mark.usefixtures("loaded_once"),
]

TOKEN = "12345"
STORY = reply(
    "That is quite a story, and I have several questions about it that we should take one by "
    "one. Then we will talk about bananas. After that we will talk about the weather."
)
HELP = reply("I am coming to help you.")


@asynccontextmanager
async def phone() -> AsyncIterator[Running]:
    require_bot()
    secrets = {"TWILIO_AUTH_TOKEN": TOKEN}  # without an account: no hang-up call to Twilio
    async with running(
        serve, [STORY, HELP], secrets, phone={"port": 0, "max_calls": 1, "provider": "twilio"}
    ) as bot:
        yield bot


@asynccontextmanager
async def call(bot: Running) -> AsyncIterator[Caller]:
    url = await FakeTwilio(bot.url.removesuffix(CALL_PATH), TOKEN).dial()
    async with connect(url) as socket, asyncio.TaskGroup() as group:
        caller = Caller(socket)
        line = group.create_task(caller.run())
        try:
            yield caller
        finally:
            await socket.close()
            await asyncio.wait({line}, timeout=10)


async def test_a_whole_call() -> None:
    async with phone() as bot, listener() as words:
        async with call(bot) as caller:
            await caller.hears()
            await caller.hears_no_more()
            assert "what can i do for you" in await words(caller.audio(), RATE_HZ)

            asked = time.monotonic()
            caller.say(prompt("tt-monkeysintro")[0])
            await caller.hears(since=asked)
            interrupting = time.monotonic()  # clears before this one were of a silent line
            caller.say(prompt("tt-somethingwrong")[0])
            cut = await caller.is_cleared(since=interrupting)
            await caller.hears(since=cut)
            await caller.hears_no_more()
            answer = await words(caller.audio(since=cut), RATE_HZ)
            assert "help" in answer
            assert "banana" not in answer
            assert "monkeys" in bot.asked[0]
            assert "terribly" in bot.asked[-1]

        await line_is_free(bot)


async def vanish(caller: Caller) -> None:
    caller.socket.transport.abort()


async def say_stop(caller: Caller) -> None:
    await caller.socket.send('{"event": "stop", "streamSid": "MZ1"}')


async def test_a_caller_that_goes_in_mid_sentence_frees_the_line() -> None:
    async with phone() as bot:
        for leave in (vanish, say_stop):
            async with call(bot) as caller:
                await caller.hears()
                await leave(caller)
                await line_is_free(bot)


async def line_is_free(bot: Running) -> None:
    line = FakeTwilio(bot.url.removesuffix(CALL_PATH), TOKEN)
    async with asyncio.timeout(20):
        while "<Reject" in (await line.webhook()).text:  # noqa: ASYNC110  polled as Twilio would
            await asyncio.sleep(0.1)


async def test_ctrl_c_says_goodbye_and_hangs_up() -> None:
    async with phone() as bot, listener() as words:
        async with call(bot) as caller:
            await caller.hears()
            await caller.hears_no_more()
            asked = time.monotonic()
            await bot.interrupt()
            async with asyncio.timeout(5):
                await caller.ended.wait()
            assert "bye" in await words(caller.audio(since=asked), RATE_HZ)
        assert bot.task.done()
