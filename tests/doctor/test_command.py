"""Guards: ``earshot doctor`` on a bare machine, without PortAudio, and on a real sound card."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.soundcard.virtual_card import VirtualCard
from bot.doctor.advice import SETTINGS
from bot.doctor.echo import WARNING
from tests.soundcard.loopback import loopback

REPOSITORY = Path(__file__).parents[2]


def doctor(
    *words: str, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    base = env or dict(os.environ)
    path = os.pathsep.join(filter(None, [base.get("PYTHONPATH"), str(REPOSITORY)]))
    return subprocess.run(
        [sys.executable, "-m", "bot", "doctor", *words],
        cwd=cwd, env=base | {"PYTHONPATH": path}, text=True, capture_output=True, timeout=120,
        check=False,
    )  # fmt: skip


def by_name(output: str) -> dict[str, dict[str, str]]:
    record: dict[str, Any] = json.loads(output)
    return {check["name"]: check for check in record["checks"]}


def test_bare_machine_without_portaudio(tmp_path: Path) -> None:
    stub = tmp_path / "stub"
    stub.mkdir()
    (stub / "sounddevice.py").write_text('raise OSError("PortAudio library not found")\n')
    env = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(stub),
        "EARSHOT_LLM": "embedded", "EARSHOT_WEB__PORT": "0",
    }  # fmt: skip
    done = doctor("--json", cwd=tmp_path, env=env)
    assert done.returncode == 1  # the models are not there
    checks = by_name(done.stdout)
    assert checks["portaudio"]["status"] == "warn"
    assert "earshot web" in checks["portaudio"]["fix"]
    assert checks["model kokoro-82m-int8"]["fix"] == "earshot models pull kokoro-82m-int8"
    assert checks["llm"]["status"] == "fail"
    assert checks["packages"]["status"] == "ok"
    assert all(check["fix"] for check in checks.values() if check["status"] != "ok")
    assert done.stderr == ""


def test_text_on_a_terminal_that_knows_no_ticks(tmp_path: Path) -> None:
    env = os.environ | {"PYTHONIOENCODING": "ascii", "EARSHOT_MODELS__DIR": str(tmp_path)}
    done = doctor(cwd=tmp_path, env=env)
    assert done.returncode == 1
    assert "FAIL model kokoro-82m-int8: not there yet" in done.stdout
    assert "  -> earshot models pull" in done.stdout


@pytest.mark.soundcard
def test_the_echo_of_a_room_is_measured(virtual_card: VirtualCard, tmp_path: Path) -> None:
    """A loopback from speaker to microphone is the room."""
    with loopback(virtual_card, delay_s=0.08, gain_db=-6.0):
        done = doctor("--audio", "--json", cwd=tmp_path, env=dict(virtual_card.env))
    print(done.stdout, done.stderr)
    assert WARNING in done.stderr
    checks = by_name(done.stdout)
    echo = checks["echo"]["figures"]
    assert echo["return_loss_db"] == pytest.approx(6.0, abs=2.0)
    assert echo["round_trip_ms"] > echo["delay_ms"]
    assert echo["noise_dbfs"] < -80
    assert echo["ran_dry"] or checks["talking"]["figures"]["mode"] in SETTINGS
    if not echo["ran_dry"]:  # on a machine too slow to keep up the figures are told, and doubted
        assert echo["delay_ms"] == pytest.approx(80, abs=25)
        assert echo["after_db"] > echo["return_loss_db"] + 10
