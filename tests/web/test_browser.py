"""In a real browser the page is greeted and answered, hangs up, and works again after that."""

from __future__ import annotations

import base64
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import av
import httpx
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.async_api import Page, async_playwright, expect

from bot.web.serve import serve
from speech.audio.resample import StreamResampler
from speech.audio.wav import write_wav
from tests.web.running import Running, listener, prompt, reply, require_bot, running

pytestmark = [
    pytest.mark.browser,
    pytest.mark.e2e,
    pytest.mark.models,
    pytest.mark.timeout(420),
    pytest.mark.usefixtures("loaded_once"),
]

CHROMIUM = "/usr/bin/chromium"
EARS = Path(__file__).with_name("page_ears.js")
RATE_HZ = 48_000
QUESTION_AT_S = 12.0
"""After the greeting, counted from the microphone's start."""

PATIENCE_MS = 90_000
REMEMBER_STATES = """() => {
  window.states = [];
  const status = document.getElementById("status");
  new MutationObserver(() => {
    if (status.dataset.state !== window.states.at(-1)) window.states.push(status.dataset.state);
  }).observe(status, { attributes: true });
}"""
ANSWER = "I am sorry to hear that. Please tell me what happened."


def microphone(folder: Path) -> Path:
    """A recording for Chromium's fake microphone: silence, a human sentence, silence."""
    samples, rate = prompt("tt-somethingwrong")
    resampler = StreamResampler(rate, RATE_HZ)
    speech = np.concatenate([resampler.process(samples), resampler.flush()])
    path = folder / "microphone.wav"
    lead, tail = (np.zeros(int(s * RATE_HZ), np.int16) for s in (QUESTION_AT_S, 60.0))
    write_wav(path, np.concatenate([lead, speech, tail]), RATE_HZ)
    return path


@asynccontextmanager
async def browser_page(microphone_file: Path) -> AsyncIterator[Page]:
    """A page whose microphone plays this file and that lets us hear what it hears."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={microphone_file}%noloop",
                "--autoplay-policy=no-user-gesture-required",
                "--allow-loopback-in-peer-connection",
            ],
        )
        context = await browser.new_context()
        await context.add_init_script(EARS.read_text())
        page = await context.new_page()
        try:
            yield page
        finally:
            await browser.close()


async def hears(page: Page, call: int) -> None:
    """Wait until the page's ``call``-th connection has given a sound."""
    await page.wait_for_function(
        "n => (window.ears.calls[n]?.peak ?? 0) > 0.05", arg=call, timeout=PATIENCE_MS
    )


async def recording(page: Page, call: int) -> NDArray[np.int16]:
    """What the page heard on a connection up to its next silence, mono at ``RATE_HZ``.

    The page is told that the bot has spoken before the browser's jitter buffer is empty.
    """
    await page.wait_for_function(
        "n => performance.now() - window.ears.calls[n].loudAt > 1500", arg=call, timeout=PATIENCE_MS
    )
    data = base64.b64decode(await page.evaluate("n => window.ears.sound(n)", call))
    resampler = av.AudioResampler("s16", "mono", RATE_HZ)
    with av.open(io.BytesIO(data), "r") as container:
        frames = [out for frame in container.decode(audio=0) for out in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames])


async def sessions(bot: Running) -> int:
    async with httpx.AsyncClient() as client:
        return int((await client.get(f"{bot.url}/status")).json()["sessions"])


@asynccontextmanager
async def visited(tmp_path: Path) -> AsyncIterator[tuple[Running, Page]]:
    """A running bot and its page, opened and not yet connected."""
    require_bot("chromium")
    async with (
        running(serve, [reply(ANSWER)], web={"port": 0}) as bot,
        browser_page(microphone(tmp_path)) as page,
    ):
        await page.goto(bot.url)
        yield bot, page


async def test_greeted_answered_disconnected_and_reconnected(tmp_path: Path) -> None:
    async with visited(tmp_path) as (bot, page), listener() as words:
        button = page.get_by_role("button", name="Connect", exact=True)
        await page.evaluate(REMEMBER_STATES)
        await button.click()
        await hears(page, 0)
        transcript = page.locator("#transcript li")
        mine = transcript.and_(page.locator('[data-who="You"]'))
        await expect(mine.first).to_contain_text("terribly", ignore_case=True, timeout=PATIENCE_MS)
        bots = transcript.and_(page.locator('[data-who="Bot"]'))
        await expect(bots.last).to_contain_text("what happened", timeout=PATIENCE_MS)
        await expect(page.locator("#status")).to_have_attribute(
            "data-state", "listening", timeout=PATIENCE_MS
        )
        states = " ".join(await page.evaluate("window.states"))
        assert "hearing thinking speaking listening" in states.replace(
            "hearing listening ", "hearing "
        )
        heard = await words(await recording(page, 0), RATE_HZ)
        assert "what can i do for you" in heard
        assert "tell me what happened" in heard
        assert await sessions(bot) == 1

        await page.get_by_role("button", name="Disconnect").click()
        await expect(page.locator("#status")).to_have_attribute("data-state", "idle")
        await no_sessions(page, bot)

        await button.click()
        await hears(page, 1)
        assert await sessions(bot) == 1
        assert await page.evaluate("window.ears.calls[0].ended")

        await bot.interrupt()
        await expect(page.locator("#status")).to_contain_text("has left", timeout=PATIENCE_MS)
        assert bot.task.done()


async def no_sessions(page: Page, bot: Running) -> None:
    """Wait until the server has let go of the page that left."""
    for _ in range(100):
        if await sessions(bot) == 0:
            return
        await page.wait_for_timeout(100)
    raise AssertionError("the old session is still there")


async def test_a_full_house_is_said_in_the_page(tmp_path: Path) -> None:
    require_bot("chromium")
    async with (
        running(serve, [], web={"port": 0, "max_sessions": 1}) as bot,
        browser_page(microphone(tmp_path)) as page,
    ):
        late = await page.context.new_page()
        for visitor in (page, late):
            await visitor.goto(bot.url)
            await visitor.get_by_role("button", name="Connect").click()
            await expect(visitor.locator("#status")).not_to_have_attribute(
                "data-state", "connecting", timeout=PATIENCE_MS
            )
        await expect(late.locator("#status")).to_contain_text("conversations are taken")
        await expect(late.get_by_role("button", name="Connect")).to_be_enabled()


async def test_the_page_asks_no_third_party(tmp_path: Path) -> None:
    """It must work without a network, and what is said is nobody else's business."""
    async with visited(tmp_path) as (bot, page):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.reload()
        await page.get_by_role("button", name="Connect").click()
        await hears(page, 0)
        assert asked
        assert all(url.startswith((bot.url, "data:", "blob:")) for url in asked)
        assert errors == []
