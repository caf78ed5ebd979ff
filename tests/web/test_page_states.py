"""The page says who is speaking, and that the bot thinks, as the server's messages tell it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, sync_playwright

import bot.web
from tests.support import require

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium")
FILES = Path(bot.web.__file__).with_name("page")
FAKE_CALL = """
export class Call {
  constructor(handlers) { window.tell = handlers.onMessage; this.handlers = handlers; }
  async open() { this.handlers.onConnected(); }
  close() { this.handlers.onEnded(); }
}
"""
USER, BOT, VOICE = "user-{}-speaking", "bot-{}-speaking", "vad-user-{}-speaking"
SAID = ("user-transcription", {"final": True, "text": "Hello there."})
TURN = [
    (VOICE.format("started"), "hearing"),
    (USER.format("started"), "hearing"),
    (VOICE.format("stopped"), "listening"),
    (SAID, "thinking"),
]


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    require(CHROMIUM, "chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.route("**/*", _serve)
        yield page
        browser.close()


def _serve(route: Route) -> None:
    name = route.request.url.rpartition("/")[2] or "index.html"
    if name == "call.js":
        route.fulfill(body=FAKE_CALL, content_type="text/javascript")
    else:
        route.fulfill(path=FILES / name)


@pytest.mark.parametrize(
    "told",
    [
        [*TURN, (USER.format("stopped"), "thinking"), (BOT.format("started"), "speaking"),
         (BOT.format("stopped"), "listening")],
        # the turn is still open and the user goes on
        [*TURN, (VOICE.format("started"), "hearing"), (SAID, "hearing"),
         (VOICE.format("stopped"), "thinking")],
        # a cough: nothing was understood
        [*TURN[:3], (USER.format("stopped"), "listening")],
        # a sound while the bot speaks is no turn until the server says so
        [(BOT.format("started"), "speaking"), (VOICE.format("started"), "speaking"),
         (VOICE.format("stopped"), "speaking"), (BOT.format("stopped"), "listening")],
        [(BOT.format("started"), "speaking"), *TURN[1:], (BOT.format("stopped"), "thinking")],
    ],
)  # fmt: skip
def test_states(browser_page: Page, told: list[tuple[object, str]]) -> None:
    browser_page.goto("http://127.0.0.1:9/")
    browser_page.get_by_role("button", name="Connect", exact=True).click()
    seen = []
    for message, _ in told:
        name, data = message if isinstance(message, tuple) else (message, {})
        browser_page.evaluate("([name, data]) => window.tell(name, data)", [name, data])
        seen.append(browser_page.locator("#status").get_attribute("data-state"))
    assert seen == [state for _, state in told]
