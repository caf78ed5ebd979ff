"""``earshot normalize`` reads and writes JSON lines, and names a line that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli import main


def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str
) -> tuple[int, str, str]:
    file = tmp_path / "lines.jsonl"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    code = main(["normalize", str(file), *options])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_a_line_for_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '{"id": 7, "text": "It costs $5."}\n\n{"id": "b", "text": "5 %", "lang": "de"}\n'
    code, out, _ = run(tmp_path, capsys, text)
    first, second = map(json.loads, out.splitlines())
    assert code == 0
    assert first == {
        "id": 7,
        "spoken": "It costs five dollars.",
        "spans": [[0, 2, 0, 2], [3, 8, 3, 8], [9, 13, 9, 11], [14, 22, 9, 12]],
    }
    assert (second["id"], second["spoken"]) == ("b", "fünf Prozent")


def test_the_users_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--set", "say={GIF: jif}", "--set", "no_read=[TODO, '/<[^>]*>/']")
    _, out, _ = run(tmp_path, capsys, '{"id": 1, "text": "TODO a GIF <x y> here"}', *options)
    assert json.loads(out)["spoken"] == "a jif here"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "line 2: not JSON"),
        ("[1]", "line 2: not an object"),
        ('{"id": 1}', 'line 2: no "text"'),
        ('{"id": 1, "text": 5}', 'line 2: no "text"'),
        ('{"id": 1, "text": "a", "lang": 5}', 'line 2: "lang"'),
        ("[" * 100_000, "line 2: not JSON"),
    ],
    ids=["text", "list", "no text", "number", "lang", "deep"],
)
def test_a_bad_line_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, reason: str
) -> None:
    code, out, err = run(tmp_path, capsys, '{"id": 1, "text": "a"}\n' + line + "\n")
    assert code == 2
    assert reason in err
    assert len(err.splitlines()) == 1
    assert len(out.splitlines()) == 1


def test_text_that_is_hardly_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(tmp_path, capsys, '{"id": null, "text": "a \\ud83d \\u0000 \\u278c"}\n')
    assert code == 0
    assert json.loads(out)["spoken"] == "a three"
