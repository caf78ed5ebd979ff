"""No YAML file hangs, exhausts the stack or raises anything but a fault with its line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config.layers import from_flags
from bot.config.loader import load
from bot.config.plain_yaml import MAX_DEPTH, MAX_FILE_BYTES, MAX_NODES, plain_load
from bot.scenario.load import load_scenario
from speech.errors import UsageError

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)
)

BAD = {
    "alias bomb": (BOMB, f"more than {MAX_NODES} values"),
    "bomb in a value": (
        f"tts: {{voice: [{BOMB.replace(chr(10), ', ').replace('a0: ', '').rstrip(', ')}]}}",
        "more than",
    ),
    "alias in itself": ("turns: &t [*t]\n", "*t contains itself"),
    "merge of itself": ("tts: &a\n  <<: *a\n", "*a contains itself"),
    "deep list, open": ("tts: {voice: " + "[" * 5_000, f"nested more than {MAX_DEPTH} deep"),
    "deep map": ("tts: " + "{a: " * 5_000 + "1" + "}" * 5_000, "nested more than"),
    "deep by aliases": (
        "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n"
        + "".join(f"a{n}: &a{n} [[[[[[[*a{n - 1}]]]]]]]\n" for n in range(1, 9)),
        "nested more than",
    ),
    "many values": ("tts: [" + "a, " * 20_000 + "]", "more than"),
    "5000 digits": ("tts: {threads: " + "9" * 5_000 + "}", "not a valid whole number"),
    "30 digits": ("tts: {threads: " + "9" * 30 + "}", "a number of too many digits"),
    "hexadecimal": ("tts: {threads: 0x" + "f" * 5_000 + "}", "a number of too many digits"),
    "base 60": ("tts: {threads: " + "1:" * 3_000 + "1}", "a number of too many digits"),
    "no date": ("tts: {voice: 2020-13-45}", "not a valid date; put text in quotes"),
    "no int": ("tts: {threads: !!int abc}", "not a valid whole number"),
    "no timestamp": ("tts: {voice: !!timestamp abc}", "not a valid date"),
    "surrogate": ('tts: {voice: "\\ud800"}', "not text"),
    "surrogate key": ('"\\ud800": 1', "not text"),
    "NUL": ('tts: {voice: "\\0"}', "not text"),
    "line in a key": ('"a\\nb": 1', "a key must be a word"),
}


@pytest.mark.parametrize("reader", [load, load_scenario])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_at_once(tmp_path: Path, name: str, reader: object) -> None:
    text, said = BAD[name]
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        reader(str(path))  # type: ignore[operator]
    message = str(caught.value)
    assert message.startswith((f"{path} line ", f"{path}:"))
    assert said in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 120


@pytest.mark.parametrize("reader", [load, load_scenario])
def test_a_huge_file_is_not_read(tmp_path: Path, reader: object) -> None:
    path = tmp_path / "c.yaml"
    path.touch()
    os.truncate(path, 100 * MAX_FILE_BYTES)
    with pytest.raises(UsageError, match="larger than 1,000,000 bytes"):
        reader(str(path))  # type: ignore[operator]


@pytest.mark.parametrize("reader", [load, load_scenario])
def test_a_pipe_is_not_waited_for(tmp_path: Path, reader: object) -> None:
    pipe = tmp_path / "c.yaml"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(UsageError, match="not a regular file"):
            reader(str(path))  # type: ignore[operator]


def test_a_value_from_outside_that_is_no_text_is_refused() -> None:
    with pytest.raises(UsageError, match=r"tts\.voice: the value is not UTF-8 text"):
        list(from_flags(["tts.voice=a\udcff"]))


@pytest.mark.parametrize("text", ["9" * 5_000, "[" * 5_000, "2020-13-45", "!!int abc"])
def test_a_flag_that_is_no_yaml_is_text(text: str) -> None:
    (entry,) = from_flags([f"tts.voice={text}"])
    assert entry.value == text


def test_aliases_and_merges_of_a_usual_size_work() -> None:
    text = "a: &a {x: 1}\nb: *a\nc: {<<: *a, y: [*a, *a]}\n"
    assert plain_load(text) == yaml.safe_load(text)


@settings(deadline=None)
@given(st.text(st.sampled_from("a:[]{}&*-! \n\"'<>|#0.,?%@`~"), max_size=60))
def test_any_text_gives_a_value_or_a_yaml_error(text: str) -> None:
    try:
        plain_load(text)
    except yaml.YAMLError:
        return
