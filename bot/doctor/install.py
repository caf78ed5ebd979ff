"""How a system package is installed here."""

from __future__ import annotations

import shutil

PORTAUDIO = {
    "apt-get": "sudo apt-get install libportaudio2",
    "dnf": "sudo dnf install portaudio",
    "pacman": "sudo pacman -S portaudio",
    "apk": "sudo apk add portaudio",
    "zypper": "sudo zypper install libportaudio2",
    "brew": "brew install portaudio",
}


def how_to_install(commands: dict[str, str]) -> str:
    """The command for the package manager that is here; Debian's where none is known."""
    here = next((name for name in commands if shutil.which(name)), "apt-get")
    return commands[here]
