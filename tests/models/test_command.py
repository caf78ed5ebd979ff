"""`earshot models` fetches what the configuration needs, tells the state, and says what to do."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.models import ensure_models, needed_models, terminal_watch
from speech.errors import UsageError
from speech.models.catalog import CATALOG, Model
from tests.models.support import content, make_model

FILES = {"model.bin": content("model", 40_000), "words.txt": content("words", 900)}
VOICES = {f"{name}.bin": content(name, 500) for name in ("af", "jf")}
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A catalog of two small models, a stick that has them, and an empty cache."""
    entries = [
        make_model(FILES, model_id="tiny", hub=False),
        make_model(VOICES, model_id="tiny-voices", any_file=True, hub=False),
    ]
    real = dict(CATALOG)
    CATALOG.clear()
    for entry in entries:
        CATALOG[entry.id] = entry
        folder = tmp_path / "stick" / entry.id
        folder.mkdir(parents=True)
        for name, data in (FILES | VOICES).items():
            if name in {file.name for file in entry.files}:
                (folder / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(
        "models: {dir: cache, local_dir: stick, sources: [local]}\n"
        "stt: {model: tiny}\nllm: {provider: openai}\n"
    )
    yield tmp_path / "cache"
    CATALOG.clear()
    CATALOG.update(real)


class Run:
    """What a command left."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *words: str) -> None:
        self.code = cli.main(["models", *words])
        self.out, self.err = capsys.readouterr()

    @property
    def models(self) -> dict[str, dict[str, Any]]:
        return {record["id"]: record for record in json.loads(self.out)["models"]}


def test_pull_names_licence_and_source(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "pull", "tiny")
    assert (run.code, run.err) == (0, "")
    assert run.out == "tiny: fetched from local, 0 MB (MIT, nobody/tiny)\n"
    assert (root / "tiny" / "model.bin").read_bytes() == FILES["model.bin"]
    assert Run(capsys, "pull", "tiny").out.startswith("tiny: already there")


def test_pull_all_as_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "pull", "--all", "--json")
    assert run.code == 0
    assert {name: record["state"] for name, record in run.models.items()} == {
        "tiny": "pulled",
        "tiny-voices": "pulled",
    }
    again = Run(capsys, "pull", "--all", "--json").models
    assert {record["state"] for record in again.values()} == {"present"}


def test_one_failure_does_not_stop_the_rest(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "stick" / "tiny" / "model.bin").unlink()
    run = Run(capsys, "pull", "--all", "--json")
    assert run.code == 1
    assert run.models["tiny"]["state"] == "failed"
    assert run.models["tiny-voices"]["state"] == "pulled"
    assert run.err.count("\n") == 1
    assert "local: no tiny/model.bin in " in run.err


def test_part_of_the_voices_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "stick" / "tiny-voices" / "af.bin").unlink()
    run = Run(capsys, "pull", "tiny-voices")
    assert run.code == 0
    assert "; only 1 of 2 files: local: no tiny-voices/af.bin" in run.out
    assert "partial (1 of 2 files)" in Run(capsys, "list").out
    assert Run(capsys, "verify", "tiny-voices").code == 0


def test_unknown_id_is_wrong_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "pull", "tinny")
    assert run.code == 2
    assert run.err == "earshot: There is no model 'tinny'. Did you mean tiny or tiny-voices?\n"


def test_list_tells_each_state(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def state() -> str:
        return str(Run(capsys, "list", "--json").models["tiny"]["state"])

    assert state() == "missing"
    Run(capsys, "pull", "tiny")
    assert state() == "verified"
    (root / "tiny" / "model.bin").write_bytes(content("other", 40_000))
    assert state() == "installed"  # the size is right; only verify reads it
    Run(capsys, "verify", "tiny")
    (root / "tiny" / "model.bin").write_bytes(b"short")
    assert state() == "corrupt"
    (root / "tiny" / "model.bin").unlink()
    assert state() == "incomplete"


def test_list_for_people(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Run(capsys, "list").out.splitlines()
    assert lines[0].split() == ["model", "for", "size", "licence", "state", "path"]
    assert lines[1].split()[:6] == ["tiny", "test", "0", "MB", "MIT", "missing"]


def test_verify_names_each_bad_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Run(capsys, "pull", "--all")
    assert Run(capsys, "verify").code == 0
    damaged = bytearray(FILES["model.bin"])
    damaged[7] ^= 1
    path = root / "tiny" / "model.bin"
    stat = path.stat()
    path.write_bytes(damaged)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # rot that leaves no trace
    (root / "tiny" / "words.txt").unlink()
    run = Run(capsys, "verify", "--json")
    assert run.code == 1
    assert run.models["tiny"]["corrupt"] == ["model.bin"]
    assert run.models["tiny"]["missing"] == ["words.txt"]
    assert "model.bin is corrupt. Run: earshot models pull tiny" in run.err
    assert "words.txt is missing. Run: earshot models pull tiny" in run.err
    assert Run(capsys, "pull", "tiny").code == 0
    assert Run(capsys, "verify").code == 0


def test_verify_without_any_model(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(capsys, "verify")
    assert run.code == 1
    assert "No model is installed in " in run.err
    assert Run(capsys, "verify", "tiny").code == 1


NONE = Secrets({})
KEY = Secrets({"OPENAI_API_KEY": "sk-test"})
VOICE = ["kokoro-82m-int8", "kokoro-voices"]


@pytest.mark.parametrize(
    ("values", "secrets", "expected"),
    [
        ({}, NONE, [*VOICE, "whisper-tiny.en", "smollm2-135m-instruct"]),
        ({}, KEY, [*VOICE, "whisper-tiny.en"]),
        # A URL alone is not asked: without a key it is not known to be meant for us.
        (
            {},
            Secrets({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}),
            [*VOICE, "whisper-tiny.en", "smollm2-135m-instruct"],
        ),
        ({"llm": "embedded"}, KEY, [*VOICE, "whisper-tiny.en", "smollm2-135m-instruct"]),
        ({"llm": "local"}, NONE, [*VOICE, "whisper-tiny.en"]),
        ({"llm": {"base_url": "http://127.0.0.1:1/v1"}}, NONE, [*VOICE, "whisper-tiny.en"]),
        ({"stt": {"kind": "openai"}, "llm": "openai"}, NONE, VOICE),
        ({"stt": {"model": "/my/model"}, "llm": "openai"}, NONE, VOICE),
        (
            {"tts": {"engine": "kokoro_torch"}, "stt": {"kind": "openai"}, "llm": "openai"},
            NONE,
            ["kokoro-voices", "kokoro-82m-torch"],
        ),
        (
            {
                "tts": {"engine": "kokoro_torch", "torch_folder": "/my"},
                "stt": {"kind": "openai"},
                "llm": "openai",
            },
            NONE,
            ["kokoro-voices"],
        ),
        ({"stt": {"model": "whisper-big"}, "llm": "openai"}, NONE, [*VOICE, "whisper-big"]),
    ],
)
def test_needs_follow_the_configuration(
    values: dict[str, Any], secrets: Secrets, expected: list[str]
) -> None:
    assert needed_models(Settings.model_validate(values), secrets) == expected


def test_a_transfer_is_told_in_one_line_where_there_is_no_bar(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for tells in (True, False):
        with terminal_watch(tells=tells) as watch:
            for _anew in range(2):
                watch.start("kokoro-82m-int8 (index)", 92_361_271)
                watch.advance(1_000)
    said = capsys.readouterr()
    assert said.err == "Fetching kokoro-82m-int8 (index), 92 MB …\n"
    assert said.out == ""


def test_a_missing_package_is_said_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    values = {"tts": {"engine": "kokoro_torch"}, "models": {"dir": tmp_path, "sources": []}}
    with pytest.raises(UsageError, match=r"needs torch and kokoro: pip install 'earshot\[gpu\]'"):
        ensure_models(Settings.model_validate(values), NONE)


def test_all_leaves_out_what_nothing_installed_can_load(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    CATALOG["tiny"] = dataclasses.replace(CATALOG["tiny"], package="no_such_package")
    assert list(Run(capsys, "pull", "--all", "--json").models) == ["tiny-voices"]
    assert list(Run(capsys, "pull", "tiny", "--json").models) == ["tiny"]


def test_ensure_fetches_only_what_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[str, Model] = {
        "kokoro-82m-int8": make_model(FILES, model_id="kokoro-82m-int8"),
        "kokoro-voices": make_model(VOICES, model_id="kokoro-voices", any_file=True),
    }
    for model_id, entry in entries.items():
        monkeypatch.setitem(CATALOG, model_id, entry)
    stick = tmp_path / "stick"
    stick.mkdir()
    for name, data in (FILES | VOICES).items():
        (stick / name).write_bytes(data)
    (tmp_path / "kokoro-voices").mkdir()
    (tmp_path / "kokoro-voices" / "jf.bin").write_bytes(VOICES["jf.bin"])
    settings = Settings.model_validate(
        {
            "stt": {"kind": "openai"},
            "llm": "openai",
            "models": {"dir": tmp_path, "local_dir": stick, "sources": ["local"]},
        }
    )
    assert [pulled.model.id for pulled in ensure_models(settings, NONE)] == ["kokoro-82m-int8"]
    assert ensure_models(settings, NONE) == []


def test_from_a_shell(tmp_path: Path) -> None:
    """One line, exit 1, silent otherwise: no source has anything and nothing is a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", "models", "pull", "whisper-tiny.en",
         "--set", f"models.dir={tmp_path}", "--set", "models.sources=[local]"],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("earshot: Could not fetch whisper-tiny.en. Tried no source")
    assert done.stderr.count("\n") == 1
