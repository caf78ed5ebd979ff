"""The report is one small page that needs nothing, runs no text as code, and can be rebuilt."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.report.build import build_report
from bot.report.envelope import HEIGHT, columns_for, envelope_path
from bot.report.meanings import STAGE_MEANINGS
from bot.report.view import MARKED, heard_words, waits
from bot.report.well_formed import well_formed
from speech.errors import UsageError
from tests.report.runs import write_run

MAX_BYTES = 500_000


class Tags(HTMLParser):
    """Every element with its attributes, and every attribute that could load something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loads: list[str | None] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.loads += [value for key, value in attrs if key in ("src", "href", "data", "action")]
        self.handlers += [key for key, _ in attrs if key.startswith("on")]


def test_a_minute_of_speech_on_both_sides_stays_under_half_a_megabyte(tmp_path: Path) -> None:
    page = write_run(tmp_path, duration_s=60.0)
    assert page.stat().st_size < MAX_BYTES


def test_it_loads_nothing_but_the_recording_beside_it(tmp_path: Path) -> None:
    page = write_run(tmp_path, text="plain words").read_text()
    tags = Tags(page)
    assert tags.loads == ["mix.wav"]
    assert "link" not in tags.names
    assert not re.search(r"https?://|@import|url\(", page)


def test_the_key_to_struck_words_is_there_where_words_are_struck(tmp_path: Path) -> None:
    assert "Struck words" in write_run(tmp_path, text="plain words").read_text()
    record = json.loads((tmp_path / "result.json").read_text())
    for turn in [record["greeting"], *record["turns"]]:
        turn["heard_text"] = turn["bot_text"]
    (tmp_path / "result.json").write_text(json.dumps(record))
    assert "Struck words" not in build_report(tmp_path).read_text()


def test_every_name_in_a_legend_is_explained(tmp_path: Path) -> None:
    assert set(STAGE_MEANINGS) >= set(MARKED)
    page = write_run(tmp_path, text="plain words").read_text()
    assert f"<dt>interrupt</dt><dd>{STAGE_MEANINGS['interrupt']}</dd>" in page
    assert "<dt>LLM first token</dt><dd>the model&#39;s first word</dd>" in page


def test_no_text_of_a_run_becomes_markup(tmp_path: Path) -> None:
    page = write_run(tmp_path).read_text()
    tags = Tags(page)
    assert tags.names.count("script") == 1
    assert "img" not in tags.names
    assert tags.handlers == []
    assert "&lt;script&gt;" in page


def test_it_shows_stages_waits_checks_and_what_was_not_heard(tmp_path: Path) -> None:
    page = write_run(tmp_path, text="").read_text()
    for shown in ("llm_first_token", "audible", "interrupt", "speech to text", "2.00 s"):
        assert shown in page
    assert 'class="unheard" title="never played">nine.' in page
    assert "Failed" in page
    assert 'class="seg voice-first-audio slowest"' in page


def test_it_can_be_built_again_from_the_files_of_the_run(tmp_path: Path) -> None:
    page = write_run(tmp_path)
    first = page.read_text()
    page.unlink()
    assert build_report(tmp_path) == page
    assert page.read_text() == first


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("result.json", "not json"),
        ("result.json", "[]"),
        ("timeline.jsonl", "{"),
        ("mix.wav", "no sound"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: str) -> None:
    write_run(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=re.escape(name)):
        build_report(tmp_path)


def test_a_run_without_turns_or_sound_still_has_a_page(tmp_path: Path) -> None:
    write_run(tmp_path, text="x")
    record = json.loads((tmp_path / "result.json").read_text())
    record |= {"turns": [], "interruptions": [], "checks": [], "greeting": {}}
    (tmp_path / "result.json").write_text(json.dumps(record))
    (tmp_path / "timeline.jsonl").write_text("")
    assert "No turns" in build_report(tmp_path).read_text()


@given(
    st.lists(st.integers(-32_768, 32_767), max_size=300),
    st.integers(1, 50),
)
def test_an_envelope_stays_in_its_box(samples: list[int], columns: int) -> None:
    path = envelope_path(np.array(samples, np.int16), columns)
    numbers = [int(n) for n in re.findall(r"-?\d+", path)]
    xs, ys = numbers[::2], numbers[1::2]
    assert all(0 <= x <= max(columns, 1) for x in xs)
    assert all(abs(y) <= HEIGHT for y in ys)


def test_silence_costs_nothing_and_long_runs_are_drawn_coarser() -> None:
    assert len(envelope_path(np.zeros(240_000, np.int16), 3_000)) < 50
    assert columns_for(10) == 500
    assert columns_for(10_000) == 6_000
    assert columns_for(0) == 1


@pytest.mark.parametrize(
    ("said", "heard", "marks"),
    [
        ("It is nine.", "It is", "110"),
        ("It is nine.", "", "000"),
        ("It is nine.", "It is nine.", "111"),
        ("a b a b", "a b", "1100"),
        ("", "", ""),
    ],
)
def test_words_that_were_never_played_are_known(said: str, heard: str, marks: str) -> None:
    assert "".join(str(int(was)) for _, was in heard_words(said, heard)) == marks


def test_all_bars_share_the_scale_of_the_longest_wait() -> None:
    def turn(*ends: float) -> dict[str, object]:
        starts = (0.0, *ends)
        parts = [
            {"name": f"p{i}", "from": a, "to": b}
            for i, (a, b) in enumerate(zip(starts, ends, strict=False))
        ]
        return {"user_text": "x", "segments": parts, "user_speech_end_s": 1.0}

    short, long, none = waits([turn(0.5, 1.0), turn(3.0, 4.0), turn()], 10.0)
    assert [bar.width for bar in long.bars] == [75.0, 25.0]
    assert sum(bar.width for bar in short.bars) == 25.0
    assert long.slowest is not None
    assert long.slowest.name == "p0"
    assert none.total is None
    assert long.span == (10.0, 40.0)


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x1c", "\x0b", "\r", "\n"])
def test_a_line_separator_in_a_text_is_no_line(tmp_path: Path, sign: str) -> None:
    page = write_run(tmp_path, text=f"one{sign}two")
    lines = (tmp_path / "timeline.jsonl").read_text(encoding="utf-8").split("\n")
    assert all(json.loads(line) for line in lines if line)
    assert "one" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("lone", ["\ud800", "\udc80 x"])
def test_half_a_surrogate_pair_is_written_as_a_replacement(tmp_path: Path, lone: str) -> None:
    page = write_run(tmp_path, text=f"a{lone}").read_text(encoding="utf-8")
    assert "a\ufffd" in page
    assert "a\ufffd" in (tmp_path / "timeline.jsonl").read_text(encoding="utf-8")
    record = (tmp_path / "result.json").read_text(encoding="utf-8")
    (tmp_path / "result.json").write_text(record.replace("\ufffd", "\\ud800"), encoding="utf-8")
    assert "a\ufffd" in build_report(tmp_path).read_text(encoding="utf-8")


@given(st.text(st.characters()))
def test_well_formed_text_can_be_encoded_and_good_text_stays(text: str) -> None:
    assert well_formed(text).encode("utf-8") is not None
    if not any("\ud800" <= sign <= "\udfff" for sign in text):
        assert well_formed(text) == text


def test_two_halves_make_a_character() -> None:
    assert well_formed("\ud83d\ude00") == "\U0001f600"
