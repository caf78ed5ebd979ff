"""Guards: without a sound card ``talk`` says so and opens the page, or fails in one line."""

from __future__ import annotations

from typing import Any

import pytest

from bot import cli
from bot.config.schema import AudioSettings
from bot.talk import can_open_a_browser, missing_sound_card
from speech.errors import DeviceError
from transports.local.backend import Backend, Device, Stream, StreamRequest
from transports.local.notice import Kind

MIC = Device(0, "Mic", "ALSA", 1, 0, 48_000)
BOX = Device(1, "Box", "ALSA", 0, 2, 48_000)


class FakeCards:
    """A sound library with these devices, or none of its own."""

    def __init__(self, devices: list[Device] | None) -> None:
        self._devices = devices

    def devices(self) -> list[Device]:
        if self._devices is None:
            raise DeviceError("the PortAudio library is missing: install it")
        return self._devices

    def default_number(self, kind: Kind) -> int | None:
        return None

    def open(self, request: StreamRequest) -> Stream:
        raise NotImplementedError

    def rescan(self) -> None:
        return


def _is_a_backend(cards: FakeCards) -> Backend:
    return cards


@pytest.mark.parametrize(
    ("devices", "audio", "missing"),
    [
        (None, {}, "the PortAudio library is missing"),
        ([], {}, "no microphone was found"),
        ([BOX], {}, "no microphone was found"),
        ([MIC], {}, "no speaker was found"),
        ([MIC, BOX], {}, None),
        ([], {"input_device": "USB"}, None),
        ([], {"output_device": 3}, None),
    ],
)
def test_what_is_missing(
    devices: list[Device] | None, audio: dict[str, Any], missing: str | None
) -> None:
    settings = AudioSettings.model_validate(audio)
    assert missing_sound_card(settings, _is_a_backend(FakeCards(devices))) == missing


@pytest.mark.parametrize(
    ("variables", "can"), [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "w"}, True)]
)
def test_a_text_browser_is_never_opened(
    variables: dict[str, str], can: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.talk.sys.platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert can_open_a_browser() is can


@pytest.fixture
def no_devices(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No device anywhere and no model to fetch; returns what was served."""
    served: list[str] = []

    async def serve(*_args: Any, on_ready: Any, open_browser: bool, **_named: Any) -> None:
        served.append(f"open_browser={open_browser}")
        on_ready("http://127.0.0.1:7860")

    monkeypatch.setattr("bot.talk.list_devices", lambda _backend: [])
    monkeypatch.setattr("bot.models.ensure_models", lambda *_: [])
    monkeypatch.setattr("bot.talk.can_open_a_browser", lambda: False)
    monkeypatch.setattr("bot.web.serve.serve", serve)
    return served


def test_no_page_is_a_one_line_error(
    no_devices: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["talk", "--no-page"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("earshot: no microphone was found: connect one and choose it with")
    assert said.count("\n") == 1
    assert no_devices == []


def test_page_is_served_by_the_same_command(
    no_devices: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["talk", "--json"]) == 0
    output = capsys.readouterr()
    assert output.err == "No microphone was found: talk in the browser instead.\n"
    assert output.out == '{"url": "http://127.0.0.1:7860"}\n'
    assert no_devices == ["open_browser=False"]


def test_unknown_device_is_a_one_line_error(
    no_devices: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["talk", "--set", "audio.input_device=Zoom"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("earshot: no microphone")
    assert said.count("\n") == 1
    assert no_devices == []
