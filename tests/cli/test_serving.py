"""A command that serves tells people on standard error, machines on standard output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.commands.common import Invocation
from bot.commands.serving import run_server
from bot.config.schema import Settings


async def fake_serve(
    _settings: Any, _secrets: Any, *, notify: Any, on_ready: Any, open_browser: bool = False
) -> None:
    notify(f"Open it{' yourself' * (not open_browser)}.")
    on_ready("http://127.0.0.1:1")


@pytest.mark.parametrize("as_json", [True, False])
def test_the_address_is_json_only_when_asked(
    as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    run_server(Invocation(Settings(), as_json), fake_serve)
    run_server(Invocation(Settings(), as_json), fake_serve, open_browser=True)
    out, err = capsys.readouterr()
    assert err == "Open it yourself.\nOpen it.\n"
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines == [{"url": "http://127.0.0.1:1"}] * (2 if as_json else 0)
