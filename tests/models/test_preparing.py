"""`earshot models` makes Kokoro ready once, says so, and finds and mends what rots afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot import cli
from bot.config.schema import Settings
from bot.preparing import prepare_voice, prepared_folder
from speech.errors import UnknownVoiceError
from speech.models.catalog import CATALOG
from speech.models.store import models_root
from tests.support import require

REPOSITORY = Path(__file__).parents[2]
OTHER_VOICE = "am_adam"
"""Nothing is shipped for it."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of its own with the real files, nothing prepared yet."""
    real = models_root()
    root = tmp_path_factory.mktemp("models")
    for model_id in ("kokoro-82m-int8", "kokoro-voices"):
        (root / model_id).mkdir()
        for file in CATALOG[model_id].files:
            path = real / model_id / file.name
            require(path.is_file(), "Kokoro's files: earshot models pull")
            (root / model_id / file.name).symlink_to(path)
    return root


@pytest.fixture
def settings(root: Path) -> Settings:
    return Settings.model_validate({"models": {"dir": root, "sources": []}})


def listed(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    cli.main(["models", *words, "--json", "--set", f"models.dir={root}"])
    return next(
        record
        for record in json.loads(capsys.readouterr().out)["models"]
        if record["id"] == "kokoro-82m-int8"
    )


@pytest.mark.models
class TestPrepare:
    """In this order: each test leaves the cache as the next one needs it."""

    def test_two_pulls_at_once_prepare_once(
        self, root: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert listed(root, capsys, "list")["prepared"] is False
        command = [
            sys.executable, "-m", "bot", "models", "pull", "kokoro-82m-int8", "kokoro-voices",
            "--set", f"models.dir={root}", "--set", "models.sources=[]",
        ]  # fmt: skip
        pulls = [
            subprocess.Popen(
                command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        ends = [pull.communicate(timeout=200) for pull in pulls]
        assert [pull.returncode for pull in pulls] == [0, 0]
        said = "".join(err for _, err in ends)
        assert said.count("Preparing Kokoro for streaming (once): ") == 1
        assert listed(root, capsys, "list")["prepared"] is True

    def test_the_default_voice_then_needs_nothing(self, settings: Settings) -> None:
        said: list[str] = []
        assert not prepare_voice(settings, said.append)
        assert said == []

    def test_another_voice_is_measured_once(self, settings: Settings) -> None:
        said: list[str] = []
        tts = settings.tts.model_copy(update={"voice": OTHER_VOICE})
        other = settings.model_copy(update={"tts": tts})
        assert prepare_voice(other, said.append)
        assert said == [f"Measuring the voice {OTHER_VOICE} (once) …"]
        assert not prepare_voice(other, said.append)

    def test_an_unknown_voice_is_an_error(self, settings: Settings) -> None:
        tts = settings.tts.model_copy(update={"voice": "af_hart"})
        with pytest.raises(UnknownVoiceError, match="af_hart"):
            prepare_voice(settings.model_copy(update={"tts": tts}), print)

    def test_rot_is_found_by_verify_and_mended_by_pull(
        self, root: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = prepared_folder(CATALOG["kokoro-82m-int8"], root)
        assert folder is not None
        path = folder / "prepared.json"
        stat, content = path.stat(), bytearray(path.read_bytes())
        content[-3] ^= 1
        path.write_bytes(content)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        record = listed(root, capsys, "verify", "kokoro-82m-int8")
        assert record["state"] == "corrupt"
        assert record["corrupt"] == [f"prepared/{folder.name}/prepared.json"]
        said: list[str] = []
        assert prepare_voice(settings, said.append)
        assert "damaged: preparing it again" in said[0]
        assert listed(root, capsys, "verify", "kokoro-82m-int8")["state"] == "verified"


def test_torch_has_nothing_to_prepare(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"tts": {"engine": "kokoro_torch"}, "models": {"dir": tmp_path}}
    )
    assert not prepare_voice(settings, print)


def test_what_is_not_there_is_not_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pull has said that it failed; that the voice is missing too is no news."""
    monkeypatch.chdir(tmp_path)
    words = ["pull", "kokoro-82m-int8", "--set", f"models.dir={tmp_path}"]
    assert cli.main(["models", *words, "--set", "models.sources=[]"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
