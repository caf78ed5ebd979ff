"""A voice behind a speech server is measured like one in the bot, and what cannot be is said."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from bench.bargein.run import _config
from bench.options import Options
from bench.speech_server import _changed, served
from bot import cli
from bot.config.loader import load
from bot.config.schema import Settings
from speech.errors import EarshotError


async def test_a_server_that_does_not_start_is_one_line(tmp_path: Path) -> None:
    settings = Settings.model_validate({"tts": {"engine": "server"}})
    begun = time.monotonic()
    with pytest.raises(EarshotError, match=r"did not start: .*this machine's own voice") as caught:
        async with served(settings, tmp_path):
            pass
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begun < 60


def test_the_servers_settings_are_read_from_a_file_as_they_are(tmp_path: Path) -> None:
    settings = Settings.model_validate({"tts": {"voice": "am_adam", "threads": 1}})
    path = tmp_path / "serve.json"
    path.write_text(json.dumps(_changed(settings, serve={"port": 0})))
    read = load(str(path), environ={}).settings
    assert read.tts == settings.tts
    assert read.serve.port == 0
    assert read.model_copy(update={"serve": settings.serve}) == settings


@pytest.mark.parametrize("over_wire", [False, True])
def test_the_record_says_where_the_voice_was(over_wire: bool) -> None:
    assert _config(Options(Settings(), over_wire=over_wire), ["cuts"])["over_wire"] is over_wire


def test_not_everything_is_measured_over_the_wire(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "tts", "--over-wire"]) == 2
    assert "--over-wire is for bargein and load" in capsys.readouterr().err
