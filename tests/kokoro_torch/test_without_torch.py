"""Guards: where torch is not installed the engine says so in one line. Runs in every Python."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from speech.engines.kokoro_torch import KokoroTorchEngine
from speech.errors import UsageError


async def test_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.zeros((510, 1, 256), "<f4").tofile(tmp_path / "af_silent.bin")
    monkeypatch.setitem(sys.modules, "torch", None)
    engine = KokoroTorchEngine(tmp_path, tmp_path)
    assert engine.voices() == ["af_silent"]
    with pytest.raises(UsageError, match=r"kokoro_torch needs torch and kokoro: .*earshot\[gpu\]"):
        await engine.start()
    await engine.aclose()
