"""Guards: the doctor shows how full the last talk's queues were, whatever is in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.doctor.queues import check_queues
from bot.last_queues import recall, remember
from speech.queues import Queues, QueueUse


def test_what_was_remembered_is_shown(tmp_path: Path) -> None:
    queues = Queues()
    queues.watch("microphone", unit="s", bound=2, policy="the oldest goes").level(0.25)
    queues.watch("never used", unit="s", bound=2, policy="the oldest goes")
    path = tmp_path / "there" / "queues.json"
    remember(queues.uses(), path)
    assert recall(path) == queues.uses()
    check = check_queues(path)
    assert (check.status, check.detail) == (
        "ok",
        "in the last talk at most: microphone 0.25 of 2 s",
    )


def test_queues_that_were_never_used_are_said_so(tmp_path: Path) -> None:
    path = tmp_path / "queues.json"
    remember([QueueUse("microphone", "s", 2, "the oldest goes")], path)
    assert check_queues(path).detail == "empty throughout the last talk"


def test_a_loss_is_a_warning_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "queues.json"
    remember([QueueUse("microphone", "s", 2, "the oldest goes", 2, 1.5)], path)
    check = check_queues(path)
    assert check.status == "warn"
    assert "1.5 s lost" in check.detail
    assert check.fix


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "{",
        "[1]",
        "{}",
        json.dumps([{"name": "x"}]),
        json.dumps([{"name": 1, "unit": "s", "bound": 1, "policy": ""}]),
        json.dumps([{"name": "x", "unit": "s", "bound": "1", "policy": ""}]),
        "[" * 100_000,
    ],
)
def test_without_a_sound_file_nothing_was_measured(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "queues.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert recall(path) == []
    assert check_queues(path).status == "ok"


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    remember([], tmp_path / "file" / "queues.json")
