"""Guards: ``earshot split`` answers line by line what the splitter does, and names a bad line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.commands.split import command
from tests.units.rows import in_pieces, is_right, labelled, reported


def split(text: str) -> list[dict[str, list[str]]]:
    done = CliRunner().invoke(command, input=text, catch_exceptions=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_reported_cases_are_split_right_and_early_enough() -> None:
    cases = reported()
    answers = split("\n".join(json.dumps(case) for case in cases) + "\n\n")
    assert [answer["id"] for answer in answers] == [case["id"] for case in cases]
    for case, answer in zip(cases, answers, strict=True):
        assert is_right(case, answer["units"])
        for number, token in case.get("emit_before", {}).items():
            assert answer["emitted_at"][int(number)] < case["tokens"].index(token)


def test_rows_are_split_as_by_the_splitter() -> None:
    rows = labelled()
    lines = [
        json.dumps({"id": row.text, "tokens": in_pieces(row.text, 3), "lang": row.lang})
        for row in rows
    ]
    assert [answer["units"] for answer in split("\n".join(lines))] == [row.units for row in rows]


def test_what_the_end_releases_has_the_number_of_tokens() -> None:
    [answer] = split('{"id": "a", "tokens": ["Hi", "!", " Dr", ".", " No"]}')
    assert answer == {"id": "a", "units": ["Hi!", "Dr. No"], "emitted_at": [2, 5]}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 2 is not JSON"),
        ("[1]", 'line 2 is not an object {"id", "tokens", "lang"?}'),
        ('{"tokens": []}', 'line 2 has no "id"'),
        ('{"id": 1, "tokens": "a"}', 'line 2: "tokens" must be a list of texts'),
        ('{"id": 1, "tokens": [1]}', 'line 2: "tokens" must be a list of texts'),
        (
            '{"id": 1, "tokens": [], "lang": 3}',
            'line 2: "lang" must be a language tag such as "de"',
        ),
    ],
)
def test_a_bad_line_is_named(line: str, said: str) -> None:
    done = CliRunner().invoke(command, input=f'{{"id": 1, "tokens": ["a"]}}\n{line}\n')
    assert json.loads(done.stdout) == {"id": 1, "units": ["a"], "emitted_at": [1]}
    assert str(done.exception) == said


def test_each_line_is_answered_before_the_next_is_read() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "split"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(2):
            process.stdin.write(f'{{"id": {number}, "tokens": ["a"]}}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize("streams", ["| head -1", "<&-", ">&-"])
def test_closed_streams_end_it_quietly(tmp_path: Path, streams: str) -> None:
    lines = tmp_path / "replies.jsonl"
    lines.write_text('{"id": 1, "tokens": ["a"]}\n' * 2_000)
    given = "" if streams == "<&-" else f" {lines}"
    line = f"set -o pipefail; {sys.executable} -m bot split{given} {streams}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
