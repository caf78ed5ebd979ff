"""Guards: ``earshot doctor`` says for each thing what is there and what to do; it never hangs."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.config.schema import AudioSettings, Settings
from bot.config.secrets import Secrets
from bot.doctor import machine, models
from bot.doctor.check import Check, Probe, run_probes
from bot.doctor.child import ChildError, ask_child
from bot.doctor.install import PORTAUDIO, how_to_install
from bot.doctor.keys import check_dotenv, check_keys
from bot.doctor.models import check_models, check_voice, missing_bytes
from bot.doctor.network import check_llm, check_port
from bot.doctor.packages import PACKAGES, check_espeak, check_packages
from bot.doctor.sound import judge
from speech.kokoro.graph.prepare import folder_of
from speech.kokoro.prepared_files import record
from speech.models.catalog import CATALOG


def settings(**raw: Any) -> Settings:
    return Settings.model_validate(raw)


def raising() -> Check:
    raise OSError("driver gone")


def test_a_probe_that_hangs_or_breaks_is_a_finding() -> None:
    hang = threading.Event()
    probes = [
        Probe("fine", lambda: Check("fine", "ok", "yes")),
        Probe("hangs", lambda: Check("never", "ok", str(hang.wait(60))), deadline_s=0.05),
        Probe("breaks", raising),
        Probe("several", lambda: [Check("a", "ok", ""), Check("b", "warn", "", "do")]),
        Probe("nothing", list),
    ]
    found = [(check.name, check.status) for check in run_probes(probes)]
    hang.set()
    assert found == [
        ("fine", "ok"), ("hangs", "fail"), ("breaks", "fail"), ("a", "ok"), ("b", "warn"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("version", "status"), [((3, 10), "fail"), ((3, 11), "ok"), ((3, 13), "ok"), ((3, 14), "fail")]
)
def test_python(version: tuple[int, int], status: str) -> None:
    assert machine.check_python(version).status == status


@pytest.mark.parametrize(
    ("cores", "cpuinfo", "status", "said"),
    [
        (2, "flags\t\t: fpu avx512_vnni avx_vnni\n", "ok", "2 cores"),
        (4, "Features\t: fp asimddp\n", "ok", "asimddp"),
        (4, "flags : fpu avx2\n", "warn", "no int8 dot products"),
        (1, "flags : avx_vnni\n", "warn", "1 core,"),
        (2, None, "ok", "2 cores"),
    ],
)
def test_processor(
    cores: int, cpuinfo: str | None, status: str, said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(machine, "usable_cores", lambda: cores)
    if cpuinfo is not None:
        (tmp_path / "cpuinfo").write_text(cpuinfo)
    check = machine.check_processor(tmp_path / "cpuinfo")
    assert (check.status, said in check.detail) == (status, True)


@pytest.mark.parametrize(
    ("meminfo", "status"),
    [("MemAvailable: 8000000 kB\n", "ok"), ("MemAvailable: 800000 kB\n", "warn"), ("x\n", None)],
)
def test_memory(meminfo: str, status: str | None, tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text(meminfo)
    check = machine.check_memory(tmp_path / "meminfo")
    assert (check.status if isinstance(check, Check) else None) == status
    assert machine.check_memory(tmp_path / "absent") == []


@pytest.mark.parametrize(("needed", "status"), [(0, "ok"), (1000, "ok"), (10**18, "fail")])
def test_disk(needed: int, status: str, tmp_path: Path) -> None:
    assert machine.check_disk(tmp_path / "not" / "there" / "yet", needed).status == status


def test_models_and_voice_that_are_not_there(tmp_path: Path) -> None:
    here = settings(models={"dir": str(tmp_path)})
    checks = check_models(here, Secrets())
    assert {check.status for check in checks} == {"fail"}
    assert checks[0].fix == "earshot models pull kokoro-82m-int8"
    assert missing_bytes(here, Secrets()) > 250_000_000
    assert check_voice(here) == []


def test_corrupt_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "kokoro-82m-int8").mkdir()
    (tmp_path / "kokoro-82m-int8" / "model.onnx").write_bytes(b"half")
    check = check_models(settings(models={"dir": str(tmp_path)}), Secrets())[0]
    assert (check.status, check.detail) == ("fail", "model.onnx is corrupt")


def test_a_voice_that_cannot_be_prepared_is_told_before_it_speaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "check_files", lambda model, folder: {"model.onnx": "verified"})
    here = settings(models={"dir": str(tmp_path)})
    prepared = tmp_path / "kokoro-82m-int8" / "prepared"
    prepared.parent.mkdir()
    assert check_models(here, Secrets())[0].status == "ok"
    prepared.touch()  # a folder that cannot be written, even by root
    check = check_models(here, Secrets())[0]
    assert (check.status, "not prepared" in check.detail) == ("fail", True)
    prepared.unlink()
    folder = folder_of(prepared, CATALOG["kokoro-82m-int8"].files[0].sha256)
    folder.mkdir(parents=True)
    (folder / "front.onnx").touch()
    record(folder)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert check_models(here, Secrets())[0].status == "ok"


def test_misspelt_voice_and_model(tmp_path: Path) -> None:
    (tmp_path / "kokoro-voices").mkdir()
    (tmp_path / "kokoro-voices" / "af_heart.bin").write_bytes(b"")
    raw = {"models": {"dir": str(tmp_path)}, "tts": {"voice": "af_hart"}}
    voice = check_voice(settings(**raw))
    assert voice == Check("voice", "fail", "there is no voice 'af_hart'", "did you mean af_heart?")
    raw["tts"] = {"voice": "af_heart:2+af_hart"}
    assert check_voice(settings(**raw)) == voice
    raw["tts"] = {"voice": "af_heart:x"}
    assert "the weight 'x' of 'af_heart' is no number" in str(check_voice(settings(**raw)))
    checks = check_models(settings(stt={"model": "whisper-tinny.en"}, **raw), Secrets())
    assert "did you mean whisper-tiny.en?" in [check.fix for check in checks]


@pytest.mark.parametrize(
    ("raw", "environ", "found"),
    [
        ({}, {}, [("keys", "ok")]),
        ({"llm": "openai"}, {}, [("keys", "ok"), ("OPENAI_API_KEY", "fail")]),
        ({"llm": "openai"}, {"OPENAI_API_KEY": "sk-0123456789abcd"}, [("keys", "ok")]),
        ({"stt": {"kind": "openai"}}, {}, [("keys", "ok"), ("EARSHOT_STT_API_KEY", "fail")]),
        ({}, {"TWILIO_AUTH_TOKEN": "t"}, [("keys", "ok"), ("TWILIO_ACCOUNT_SID", "warn")]),
        ({}, {"LIVEKIT_API_KEY": "t"}, [("keys", "ok"), ("LIVEKIT_API_SECRET", "warn")]),
    ],
)
def test_keys(raw: dict[str, Any], environ: dict[str, str], found: list[tuple[str, str]]) -> None:
    checks = check_keys(settings(**raw), Secrets(environ))
    assert [(check.name, check.status) for check in checks] == found
    assert "0123456789" not in str(checks)


@pytest.mark.parametrize(("mode", "status"), [(0o600, "ok"), (0o644, "warn"), (None, None)])
def test_dotenv_is_private(mode: int | None, status: str | None, tmp_path: Path) -> None:
    path = tmp_path / ".env"
    if mode is not None:
        path.write_text("A=1\n")
        path.chmod(mode)
        assert stat.S_IMODE(path.stat().st_mode) == mode
    check = check_dotenv(path)
    first = next(iter(check), None) if isinstance(check, list) else check
    assert (first.status if first else None) == status


def test_a_secret_that_nobody_reads_is_told(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("OPENAI_API_KEYY=x\nTELNYX_API_KEY=x\nOTHER=x\n")
    for mode, others in ((0o600, 0), (0o644, 1)):
        path.chmod(mode)
        checks = check_dotenv(path)
        assert isinstance(checks, list)
        assert ["OPENAI_API_KEYY" in check.detail for check in checks] == [False] * others + [True]


def test_ports() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        busy = check_port("web", "127.0.0.1", port)
    assert (busy.status, "in use" in busy.detail) == ("warn", True)
    assert check_port("web", "127.0.0.1", port).status == "ok"
    assert check_port("web", "127.0.0.1", 0).status == "ok"
    assert check_port("web", "no such host", 1).status == "warn"


def test_llm_that_does_not_answer() -> None:
    with socket.socket() as unused:  # bound, not listening: refuses
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        check = check_llm(settings(llm={"base_url": url, "model": "m"}), Secrets())
    assert check.status == "fail"
    assert check.fix


def test_packages_and_espeak_of_this_machine() -> None:
    assert check_packages().status == "ok"
    assert check_espeak().status == "ok"


def test_broken_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "no_such_module", "no-such-package")
    check = check_packages()
    assert check.status == "fail"
    assert "no-such-package: ModuleNotFoundError" in check.detail


def test_child_that_dies_or_hangs() -> None:
    with pytest.raises(ChildError, match="No module named"):
        ask_child("bot.no_such_module", [], 30)
    with pytest.raises(ChildError, match="no answer within 0 s"):
        ask_child("bot.doctor.packages", [], 0.01)


def test_install_hint_follows_the_package_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    here: dict[str, Callable[[str], str | None]] = {
        "sudo dnf install portaudio": lambda name: name if name == "dnf" else None,
        "brew install portaudio": lambda name: name if name == "brew" else None,
        "sudo apt-get install libportaudio2": lambda _name: None,
    }
    for command, which in here.items():
        monkeypatch.setattr("bot.doctor.install.shutil.which", which)
        assert how_to_install(PORTAUDIO) == command


MIC = {"number": 1, "name": "USB Mic", "inputs": 1, "outputs": 0}
BOX = {"number": 2, "name": "Speakers", "inputs": 0, "outputs": 2}
GOOD = {"devices": [MIC, BOX], "input": {"device": "USB Mic"}, "output": {"device": "Speakers"}}
DELAYS = {"input_ms": 20, "output_ms": 30}


@pytest.mark.parametrize(
    ("audio", "found", "statuses", "said"),
    [
        ({}, {"error": "the PortAudio library is missing: install it"}, ["warn"], "earshot web"),
        ({}, GOOD, ["ok", "ok", "ok"], "USB Mic"),
        (
            {},
            {"devices": [], "input": {"error": "no microphone: x"}, "output": {"error": "none: y"}},
            ["ok", "warn", "warn"],
            "earshot web",
        ),
        (
            {"input_device": "Zoom"},
            {**GOOD, "input": {"error": "no microphone fits 'Zoom'; choose one of: 1: USB Mic"}},
            ["ok", "fail", "ok"],
            "1: USB Mic",
        ),
    ],
)
def test_sound(
    audio: dict[str, Any], found: dict[str, Any], statuses: list[str], said: str
) -> None:
    checks = judge(AudioSettings.model_validate(audio), found)
    assert [check.status for check in checks] == statuses
    assert said in str(checks)


def test_checks_are_json() -> None:
    assert json.dumps(Check("a", "ok", "b").to_record())
