"""A device is found by number or name; what cannot be found says what to do (D01, D02)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from speech.errors import DeviceError
from tests.transports.local.fake_backend import MICROPHONE, SPEAKER, FakeBackend
from transports.local.backend import (
    BlockInfo,
    Device,
    SounddeviceBackend,
    StreamFormat,
    StreamRequest,
)
from transports.local.devices import find_device, formats, list_devices, open_stream
from transports.local.notice import Kind
from transports.local.params import DeviceChoice

USB = Device(5, "USB Headset: Audio (hw:2,0)", "ALSA", 1, 2, 44_100)
HDMI = Device(6, "HDMI Audio", "ALSA", 0, 8, 48_000)
TWIN = Device(7, "USB Headset", "JACK", 1, 2, 44_100)
ALL = [MICROPHONE, SPEAKER, USB, HDMI, TWIN]


@pytest.mark.parametrize(
    ("kind", "choice", "number"),
    [
        ("input", None, 0),
        ("output", None, 1),
        ("input", 5, 5),
        ("output", "6", 6),
        ("output", "hdmi", 6),
        ("output", "HDMI Audio", 6),
        ("input", "hw:2,0", 5),
        ("output", "usb headset", 7),
        ("output", " front ", 1),
    ],
)
def test_it_is_found(kind: Kind, choice: DeviceChoice, number: int) -> None:
    assert find_device(FakeBackend(ALL), kind, choice).number == number


@pytest.mark.parametrize(
    ("kind", "choice", "words"),
    [
        ("input", "hdmi", ["no microphone fits", "0: Front Mic", "5: USB Headset"]),
        ("input", 6, ["no microphone fits", "audio.input_device=6"]),
        ("input", "usb", ["several microphones fit", "5: USB", "7: USB"]),
        ("output", "nothing like it", ["no speaker fits", "1: Front Speaker", "6: HDMI"]),
        ("output", -1, ["no speaker fits"]),
        ("output", "", ["several speakers fit"]),
    ],
)
def test_what_does_not_fit_names_the_candidates(
    kind: Kind, choice: DeviceChoice, words: list[str]
) -> None:
    with pytest.raises(DeviceError) as caught:
        find_device(FakeBackend(ALL), kind, choice)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["input", "output"])
def test_without_any_device_it_says_how_to_go_on(kind: Kind) -> None:
    with pytest.raises(DeviceError, match=f"{kind} device") as caught:
        find_device(FakeBackend([]), kind, None)
    assert f"audio.{kind}_device" in str(caught.value)
    assert "earshot web" in str(caught.value)


def test_without_a_default_it_says_which_there_are() -> None:
    backend = FakeBackend(ALL, defaults={"input": None, "output": None})
    with pytest.raises(DeviceError, match="no default microphone") as caught:
        find_device(backend, "input", None)
    assert "5: USB Headset" in str(caught.value)


def test_a_long_list_stays_one_line() -> None:
    many = [Device(n, f"Card {n}", "ALSA", 1, 0, 48_000) for n in range(40)]
    with pytest.raises(DeviceError, match="and 32 more"):
        find_device(FakeBackend(many), "input", "nothing")


def _request(device: Device, kind: Kind, rate_hz: int) -> StreamRequest:
    form = StreamFormat(rate_hz, 1)
    return StreamRequest(kind, device, form, rate_hz // 50, "low", _ignore, lambda: None)


def _ignore(_data: Any, _info: BlockInfo) -> None:
    pass


@pytest.mark.parametrize(
    ("rates", "channels", "opened"),
    [
        (None, None, StreamFormat(16_000, 1)),
        ({44_100, 48_000}, None, StreamFormat(48_000, 1)),
        ({44_100, 48_000}, {2}, StreamFormat(48_000, 2)),
        ({44_100}, {2}, StreamFormat(44_100, 2)),
        (None, {2}, StreamFormat(16_000, 2)),
    ],
)
def test_a_picky_device_opens_in_the_nearest_format_it_takes(
    rates: set[int] | None, channels: set[int] | None, opened: StreamFormat
) -> None:
    backend = FakeBackend(rates=rates, channels=channels)
    _, form = open_stream(backend, _request(MICROPHONE, "input", 16_000))
    assert form == opened
    assert backend.streams[0].request.block == opened.rate_hz // 50


def test_a_device_that_takes_nothing_is_named() -> None:
    with pytest.raises(DeviceError, match=r"'Front Mic' refuses every format .*-9997"):
        open_stream(FakeBackend(rates={7}), _request(MICROPHONE, "input", 16_000))


def test_many_channels_are_tried_last() -> None:
    array = Device(3, "Mic array", "ALSA", 6, 0, 16_000)
    tried = list(formats(array, "input", 16_000))
    assert [form.channels for form in tried[:3]] == [1, 2, 6]
    assert len(set(tried)) == len(tried)


class FakePortAudioError(Exception):
    """Stands for sounddevice's own."""


def _fake_sounddevice(refuse: Callable[..., str | None], devices: list[dict[str, Any]]) -> Any:
    def make(**options: Any) -> Any:
        if reason := refuse(**options):
            raise FakePortAudioError(reason)
        return SimpleNamespace(latency=0.02, close=lambda ignore_errors: None)

    return SimpleNamespace(
        PortAudioError=FakePortAudioError,
        InputStream=make,
        OutputStream=make,
        query_devices=lambda: devices,
        query_hostapis=lambda: ({"name": "ALSA"},),
        default=SimpleNamespace(device=[-1, -1]),
    )


def test_no_device_in_the_sound_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", _fake_sounddevice(lambda: None, []))
    backend = SounddeviceBackend()
    assert list_devices(backend) == []
    with pytest.raises(DeviceError, match="no microphone"):
        find_device(backend, "input", None)


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("Error opening InputStream: Device unavailable [PaErrorCode -9985]", "is busy"),
        ("Error opening InputStream: Invalid sample rate [PaErrorCode -9997]", "every format"),
    ],
)
def test_the_sound_librarys_errors_become_ours(
    monkeypatch: pytest.MonkeyPatch, reason: str, message: str
) -> None:
    library = _fake_sounddevice(lambda **_: reason, [])
    monkeypatch.setitem(sys.modules, "sounddevice", library)
    with pytest.raises(DeviceError, match=message) as caught:
        open_stream(SounddeviceBackend(), _request(MICROPHONE, "input", 16_000))
    assert "Front Mic" in str(caught.value)
    assert "audio.input_device" in str(caught.value)


def test_without_portaudio_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.__import__", _without_portaudio(__import__))
    with pytest.raises(DeviceError, match="libportaudio2"):
        list_devices()


def _without_portaudio(real: Callable[..., Any]) -> Callable[..., Any]:
    def importing(name: str, *rest: Any, **more: Any) -> Any:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")
        return real(name, *rest, **more)

    return importing
