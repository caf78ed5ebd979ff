"""Checks of the Python packages and the libraries inside them."""

from __future__ import annotations

import importlib
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bot.doctor.check import Check
from bot.doctor.child import ChildError, ask_child

PACKAGES = {
    "pipecat": "pipecat-ai",
    "onnxruntime": "onnxruntime",
    "kokoro_onnx": "kokoro-onnx",
    "faster_whisper": "faster-whisper",
    "xllamacpp": "xllamacpp",
    "aiortc": "aiortc",
    "uvicorn": "uvicorn",
    "openai": "openai",
    "soxr": "soxr",
    "livekit.rtc": "livekit",
    "webrtcvad": "webrtcvad-wheels",
    "pipecat_ai_prebuilt": "pipecat-ai-prebuilt",
}
"""Module and the package that holds it: those with compiled parts or optional in pipecat."""

REINSTALL = "run make setup, or: pip install -r requirements/base.lock"
_IMPORT_DEADLINE_S = 18.0


def check_packages() -> Check:
    """Whether every package imports, tried in a child as a broken one may crash."""
    try:
        broken: dict[str, str] = ask_child(__name__, list(PACKAGES), _IMPORT_DEADLINE_S)
    except ChildError as error:
        return Check("packages", "fail", f"a package breaks Python: {error}", REINSTALL)
    if broken:
        detail = "; ".join(f"{PACKAGES[name]}: {why}" for name, why in broken.items())
        return Check("packages", "fail", detail, REINSTALL)
    return Check(
        "packages", "ok", f"pipecat-ai {_version('pipecat-ai')} and {len(PACKAGES) - 1} more"
    )


def check_espeak() -> Check:
    """The phoneme library and its data, which English pronunciation comes from."""
    try:
        espeakng_loader = importlib.import_module("espeakng_loader")
    except ImportError:
        return Check("espeak-ng", "fail", "espeakng-loader is not installed", REINSTALL)
    library = Path(espeakng_loader.get_library_path())
    table = Path(espeakng_loader.get_data_path()) / "phontab"
    for path in (library, table):
        if not path.exists():
            return Check("espeak-ng", "fail", f"{path} is missing", REINSTALL)
    return Check("espeak-ng", "ok", f"espeakng-loader {_version('espeakng-loader')}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(unknown)"


def _broken(modules: list[str]) -> dict[str, str]:
    broken = {}
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:  # whatever it is, it is what the user must know
            broken[module] = f"{type(error).__name__}: {error}".splitlines()[0]
    return broken


if __name__ == "__main__":
    print(json.dumps(_broken(sys.argv[1:])))  # noqa: T201 (the answer to ask_child)
