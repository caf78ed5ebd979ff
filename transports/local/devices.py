"""Which device is meant, and in which format it opens."""

from __future__ import annotations

from collections.abc import Iterator

from speech.errors import DeviceError
from transports.local.backend import (
    Backend,
    Device,
    FormatRefusedError,
    SounddeviceBackend,
    Stream,
    StreamFormat,
    StreamRequest,
)
from transports.local.notice import NOUNS, Kind
from transports.local.params import DeviceChoice

_COMMON_RATES_HZ = (48_000, 44_100, 16_000)
"""What is left to try when a device takes neither our rate nor its own default."""

_MOST_CHANNELS = 8
_LISTED = 8
"""How many candidates an error names; more would not be one line."""


def list_devices(backend: Backend | None = None) -> list[Device]:
    """All sound devices; empty without any. Raises ``DeviceError`` without PortAudio."""
    return (backend or SounddeviceBackend()).devices()


def find_device(backend: Backend, kind: Kind, choice: DeviceChoice) -> Device:
    """The device with this number, name or part of a name; the default for None.

    A whole name wins over a part; upper and lower case are one. Raises ``DeviceError``:
    none there, unknown, or several that fit.
    """
    able = [device for device in backend.devices() if device.channels(kind) > 0]
    if not able:
        raise DeviceError(_nothing(kind))
    if choice is None:
        return _default(backend, kind, able)
    if isinstance(choice, int) or choice.strip().isdecimal():
        fitting = [device for device in able if device.number == int(choice)]
    else:
        fitting = _by_name(able, choice.strip().casefold())
    if len(fitting) == 1:
        return fitting[0]
    what = f"several {NOUNS[kind]}s fit" if fitting else f"no {NOUNS[kind]} fits"
    raise DeviceError(
        f"{what} audio.{kind}_device={choice!r}; choose one of: {_listed(fitting or able)}"
    )


def open_stream(
    backend: Backend, request: StreamRequest, known: StreamFormat | None = None
) -> tuple[Stream, StreamFormat]:
    """Open at the wanted rate in mono or, where the device refuses, the nearest it takes.

    ``request.block`` is for the wanted rate; another rate gets a block of the same
    duration. ``known`` is what this device took before: nothing else is tried then.
    Raises ``DeviceError`` when every format is refused.
    """
    refusal = ""
    wanted_hz = request.format.rate_hz
    for form in [known] if known else formats(request.device, request.kind, wanted_hz):
        block = round(request.block * form.rate_hz / wanted_hz)
        attempt = StreamRequest(
            request.kind,
            request.device,
            form,
            block,
            request.latency,
            request.callback,
            request.finished,
        )
        try:
            return backend.open(attempt), form
        except FormatRefusedError as error:
            refusal = str(error)
    raise DeviceError(
        f"the {NOUNS[request.kind]} {request.device.name!r} refuses every format ({refusal}): "
        f"choose another with audio.{request.kind}_device (`earshot doctor` lists them)"
    )


def formats(device: Device, kind: Kind, wanted_hz: int) -> Iterator[StreamFormat]:
    """What to try, best first: our rate, the device's own, common ones; mono, stereo, all."""
    most = min(device.channels(kind), _MOST_CHANNELS)
    channels = [count for count in dict.fromkeys((1, 2, most)) if count <= most]
    for rate_hz in dict.fromkeys((wanted_hz, device.rate_hz, *_COMMON_RATES_HZ)):
        for count in channels:
            yield StreamFormat(rate_hz, count)


def _default(backend: Backend, kind: Kind, able: list[Device]) -> Device:
    number = backend.default_number(kind)
    for device in able:
        if device.number == number:
            return device
    raise DeviceError(
        f"no default {NOUNS[kind]} is set; choose one with audio.{kind}_device: {_listed(able)}"
    )


def _by_name(devices: list[Device], wanted: str) -> list[Device]:
    exact = [device for device in devices if device.name.casefold() == wanted]
    return exact or [device for device in devices if wanted in device.name.casefold()]


def _listed(devices: list[Device]) -> str:
    names = [f"{device.number}: {device.name} ({device.host})" for device in devices[:_LISTED]]
    more = len(devices) - _LISTED
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _nothing(kind: Kind) -> str:
    return (
        f"no {NOUNS[kind]} ({kind} device) was found: connect one and choose it with "
        f"audio.{kind}_device (`earshot doctor` lists them), or talk in the browser: "
        "earshot web"
    )
