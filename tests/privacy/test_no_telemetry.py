"""Nothing Earshot loads reports to its maker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from speech.models.store import models_root


@pytest.mark.models
def test_onnxruntime_leaves_no_telemetry_behind(tmp_path: Path) -> None:
    environment = os.environ | {
        "HOME": str(tmp_path),
        "EARSHOT_MODELS__DIR": str(models_root()),
    }
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run(
        [sys.executable, "-m", "bot", "say", "Yes.", "-o", str(tmp_path / "yes.wav")],
        env=environment, check=True, timeout=240,
    )  # fmt: skip
    assert not (tmp_path / ".cache" / "Microsoft").exists()
