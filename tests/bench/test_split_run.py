"""``earshot bench split`` runs whoever is installed, names who is missing, and has the keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.split import contestants, run
from bench.split.contestants import CONTESTANTS, Contestant
from bench.split.score import Released
from bench.split.summary import summary
from bot.commands.bench import command
from speech.errors import UsageError


class FakeWhole:
    """Never cuts."""

    def units(self, tokens: Sequence[str], lang: str) -> list[Released]:
        return [Released("".join(tokens), len(tokens))]


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["split", *arguments])


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(CONTESTANTS, "earshot", Contestant(FakeWhole, "fake", ("json",)))
    monkeypatch.setitem(CONTESTANTS, "pysbd", Contestant(FakeWhole, "pysbd", ("no_such.module",)))
    result = bench("--quick", "--json", "--misses", "2", "--only", "earshot,pipecat,pysbd")
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def test_the_record(document: dict[str, Any]) -> None:
    assert document["name"] == "split"
    for key in ("f1", "false_cuts_per_1000", "delay_tokens_median"):
        assert list(document[key]) == ["earshot", "pipecat"]
    assert document["missing"] == {"pysbd": "pysbd is not installed (no module no_such.module)"}
    assert 0 < document["f1"]["earshot"] < 0.6 < document["f1"]["pipecat"] < 1
    assert document["false_cuts_per_1000"]["earshot"] == 0 < document["mb_per_s"]
    assert document["delay_tokens_median"] == {"earshot": None, "pipecat": 0}
    assert len(document["misses"]["earshot"]) == 2
    config = document["config"]
    assert config["streams"] > config["replies"] >= 100
    assert config["versions"]["pipecat-ai"]


def test_its_lines(document: dict[str, Any]) -> None:
    lines = "\n".join(summary(document))
    assert "missing: pysbd: pysbd is not installed" in lines
    assert "A quick run" in lines
    assert "abbreviations" in lines
    assert "  given " in lines


def test_a_slow_contestant_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "TIME_LIMIT_S", 0.0)
    monkeypatch.setitem(CONTESTANTS, "pysbd", Contestant(FakeWhole, "pysbd", ("json",)))
    result = bench("--quick", "--json", "--only", "pysbd")
    record = json.loads(result.stdout)
    assert record["missing"] == {"pysbd": "took longer than 0 s"}
    assert record["f1"] == {}
    assert record["mb_per_s"] is None
    assert summary(record)


def test_unknown_contestants_are_refused() -> None:
    refused = bench("--only", "earshot,nobody").exception
    assert isinstance(refused, UsageError)
    assert "no part nobody; parts: earshot, pipecat" in str(refused)


INSTALLED = [name for name in CONTESTANTS if not contestants.choose([name])[1]]
"""The bench extra's packages are no part of the tests' environment."""


@pytest.mark.parametrize("name", INSTALLED)
def test_every_installed_contestant_gives_the_whole_text(name: str) -> None:
    splitter = CONTESTANTS[name].build()
    tokens = [
        "He",
        " left",
        " at",
        " noon",
        ".",
        " She",
        " stayed",
        " a",
        " little",
        " longer",
        ".",
    ]
    given = splitter.units(tokens, "en")
    assert " ".join(" ".join(unit.text for unit in given).split()) == "".join(tokens)
    assert [unit.at for unit in given] == sorted(unit.at for unit in given)
    assert given[-1].at == len(tokens)
