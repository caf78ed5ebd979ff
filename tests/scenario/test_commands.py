"""``earshot run`` refuses a wrong file in one line with exit 2, before any model is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.scenario.checks import Check
from bot.scenario.result import Result
from bot.scenario.turns import read_timeline
from tests.scenario.lines import BARGE_IN, timeline

RUN = "bot.commands.run"


def scenario(folder: Path, text: str) -> str:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object) -> None:
        raise AssertionError("models were asked for")

    monkeypatch.setattr("bot.models.ensure_models", fetch)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("turnes: []", "turnes: unknown key; did you mean 'turns'?"),
        ("turns: [{wav: gone.wav}]", "wav 'gone.wav' not found"),
        ("turns: [{wav: empty.wav}]", "empty.wav is empty"),
        ("turns: [{wav: text.wav}]", "text.wav"),
        ("turns: [{text: hi}]\nset: {tts: {voic: x}}", "tts.voic: unknown key"),
        ("turns: [{text: hi}]\nset: {llm: {replay: gone.jsonl}}", "llm.replay 'gone.jsonl'"),
        ("turns: [{text: hi}]\nset: {llm: {replay: text.wav}}", "not a recorded reply"),
    ],
)
def test_a_mistake_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, part: str
) -> None:
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("this is a text and no sound")
    code = main(["run", scenario(tmp_path, text), "--out", str(tmp_path / "out")])
    output = capsys.readouterr()
    assert code == 2
    assert part in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""


def test_a_folder_that_cannot_be_made_is_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    code = main(["run", scenario(tmp_path, "turns: [{text: hi}]"), "--out", f"{tmp_path}/file/x"])
    assert code == 2
    assert "choose another folder" in capsys.readouterr().err


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize("as_json", [True, False])
def test_the_exit_code_and_the_output_say_whether_it_passed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    passed: bool,
    as_json: bool,
) -> None:
    check = Check("interruptions: 1", passed, "1", turn=2)
    talk = read_timeline(timeline(*BARGE_IN))
    result = Result("x", "", "finished", 0.0, 9.0, talk, [check], files={"report": "out/r.html"})
    monkeypatch.setattr(f"{RUN}.run_files", lambda _invocation, _jobs, over: over(result))
    flags = ["--json"] if as_json else []
    code = main(["run", scenario(tmp_path, "turns: [{text: hi}]"), "--out", "out", *flags])
    output = capsys.readouterr().out
    assert code == (0 if passed else 1)
    if as_json:
        record: dict[str, Any] = json.loads(output)
        assert record["passed"] is passed
        assert record["turns"][0]["heard_text"] == "It is"
        assert record["turns"][1]["times"]["audible"] == pytest.approx(1.6)
        assert record["interruptions"][0]["cut_to_silent_s"] == pytest.approx(0.04)
    else:
        assert ("passed" if passed else "failed") in output
        assert "interruptions: 1" in output
        assert "out/r.html" in output


def test_several_scenarios_get_a_folder_each_and_all_must_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders: list[Path] = []

    def run(_invocation: object, jobs: list[tuple[Any, Path]], over: Any) -> None:
        for scenario, folder in jobs:
            folders.append(folder)
            talk = read_timeline(timeline(*BARGE_IN))
            failed = Check("turns: 1", scenario.name != "y", "2")
            over(Result(scenario.name, "", "finished", 0.0, 9.0, talk, [failed]))

    monkeypatch.setattr(f"{RUN}.run_files", run)
    first = scenario(tmp_path, "turns: [{text: hi}]")
    second = str(Path(first).with_name("y.yaml"))
    Path(second).write_text("turns: [{text: hi}]")
    assert main(["run", first, second, "--out", "out", "--json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert [record["passed"] for record in records] == [True, False]
    assert folders == [Path("out/x"), Path("out/y")]
    assert main(["run", first, first, "--out", "out"]) == 2
    assert "two scenarios are named 'x'" in capsys.readouterr().err


def test_report_refuses_a_folder_that_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "give the folder that earshot run wrote" in capsys.readouterr().err


def test_an_earlier_runs_files_do_not_pass_for_this_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "result.json").write_text("{}")
    (tmp_path / "mine.txt").touch()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bot.models.ensure_models", stop)
    assert main(["run", scenario(tmp_path, "turns: [{text: hi}]"), "--out", str(tmp_path)]) == 130
    assert {path.name for path in tmp_path.iterdir()} == {"x.yaml", "mine.txt"}
