"""In a real browser the report runs none of a run's texts, asks nobody for anything, and works."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.report.runs import write_run
from tests.support import require

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium")


@pytest.fixture
def page() -> Iterator[Page]:
    require(CHROMIUM, "chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 1240, "height": 900})
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_works_and_asks_nobody(tmp_path: Path, page: Page, scheme: str) -> None:
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    report = write_run(tmp_path)
    page.goto(report.as_uri())

    assert page.evaluate("window.broken") is None
    assert page.locator(".wait .bar .slowest").count() == 2
    page.locator(".mark").first.hover()
    assert "user_onset" in page.locator("#tip").inner_text()
    narrow = page.locator("#stage").bounding_box()
    page.get_by_role("button", name="10×").click()
    wide = page.locator("#stage").bounding_box()
    assert narrow is not None
    assert wide is not None
    assert wide["width"] > 9 * narrow["width"]
    page.locator(".wait").nth(1).click()
    page.locator(".legend.stages li").first.hover()
    assert page.locator(".mark.lit").count() > 0

    assert [url for url in asked if not url.startswith(tmp_path.as_uri())] == []
    assert faults == []


def test_a_click_on_the_waveform_plays_from_there(tmp_path: Path, page: Page) -> None:
    page.goto(write_run(tmp_path, text="x").as_uri())
    page.locator("#stage").click(position={"x": 500, "y": 40})
    page.wait_for_function("() => document.getElementById('audio').currentTime > 3")
    assert page.locator("#playhead").is_visible()


def test_nothing_is_wider_than_a_phone(tmp_path: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(write_run(tmp_path).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_wide_tables_scroll_on_a_phone_and_stay_readable(tmp_path: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(write_run(tmp_path, text="some words that were not heard").as_uri())
    hidden = "[...document.querySelectorAll('.wide')].map(w => w.scrollWidth - w.clientWidth)"
    assert min(page.evaluate(hidden)) > 0
    unheard = page.locator("td.text").first.bounding_box()
    assert unheard is not None
    assert unheard["width"] > 200


@pytest.mark.parametrize("width", [1240, 390])
def test_the_waveform_has_no_scroll_bars_until_it_is_zoomed(
    tmp_path: Path, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(write_run(tmp_path, duration_s=10.03, text="x").as_uri())
    page.locator(".legend.stages li").first.hover()
    box = "(() => { const s = document.getElementById('scroller'); return "
    assert page.evaluate(f"{box} s.scrollWidth - s.clientWidth }})()") == 0
    assert page.evaluate(f"{box} s.offsetHeight - s.clientHeight }})()") == 0
    page.get_by_role("button", name="3×").click()
    assert page.evaluate(f"{box} s.scrollWidth - s.clientWidth }})()") > width
