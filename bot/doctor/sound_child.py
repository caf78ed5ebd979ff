"""Talks to the sound card in a process of its own: drivers print, hang and crash.

``python -m bot.doctor.sound_child SETTINGS_JSON`` prints a JSON document: ``devices`` (or
``error``), and for ``input`` and ``output`` the device that would be used.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bot.config.schema import AudioSettings
from speech.errors import DeviceError
from transports.local.backend import Backend, SounddeviceBackend
from transports.local.devices import find_device
from transports.local.notice import Kind


def look(audio: AudioSettings, backend: Backend | None = None) -> dict[str, Any]:
    """Everything the sound checks want to know."""
    backend = backend or SounddeviceBackend()
    try:
        devices = backend.devices()
    except DeviceError as error:
        return {"error": str(error)}
    found: dict[str, Any] = {
        "devices": [
            {"number": d.number, "name": d.name, "inputs": d.inputs, "outputs": d.outputs}
            for d in devices
        ]
    }
    kinds: tuple[Kind, Kind] = ("input", "output")
    for kind in kinds:
        try:
            choice = audio.input_device if kind == "input" else audio.output_device
            found[kind] = {"device": find_device(backend, kind, choice).name}
        except DeviceError as error:
            found[kind] = {"error": str(error)}
    return found


def main() -> None:
    """Entry of the child."""
    audio = AudioSettings.model_validate_json(sys.argv[1])
    print(json.dumps(look(audio)))  # noqa: T201 (the answer)


if __name__ == "__main__":
    main()
