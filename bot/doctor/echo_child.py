"""Measures in a process of its own: drivers print, hang and crash.

``python -m bot.doctor.echo_child SETTINGS_JSON`` plays, records and prints the ``Acoustics`` as
JSON, or ``error``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bot.config.schema import AudioSettings
from bot.doctor.acoustics import measure
from bot.doctor.duplex import run_duplex
from speech.errors import DeviceError
from transports.local.backend import Backend, SounddeviceBackend


def measured(audio: AudioSettings, backend: Backend | None = None) -> dict[str, Any]:
    """What is to be printed."""
    try:
        return measure(run_duplex(audio, backend or SounddeviceBackend())).as_dict()
    except DeviceError as error:
        return {"error": str(error)}


def main() -> None:
    """Entry of the child."""
    print(json.dumps(measured(AudioSettings.model_validate_json(sys.argv[1]))))  # noqa: T201


if __name__ == "__main__":
    main()
