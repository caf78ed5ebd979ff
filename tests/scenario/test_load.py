"""A mistake in a scenario is one line: file, line, key, what was expected, the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.loader import load
from bot.scenario.load import ScenarioError, find_file, load_scenario
from bot.scenario.moments import Moment, parse_duration, parse_moment
from bot.scenario.overrides import scenario_settings
from bot.scenario.schema import Scenario

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").glob("*.yaml"))


def written(folder: Path, text: str) -> Path:
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_our_own_scenarios_are_right(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.name == path.stem
    assert scenario_settings(scenario, load(None, environ={}).settings)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("turns: [{text: hi, expct: []}]", ["x.yaml:1: turns[0].expct", "unknown key", "'expect'"]),
        ("turnes: []", ["turnes: unknown key", "'turns'"]),
        ("turns:\n- text: hi\n  expect:\n  - {event: bot_startd}",
         ["x.yaml:4: turns[0].expect[0].event", "unknown event 'bot_startd'", "'bot_started'"]),
        ("turns:\n- text: hi\n  expect:\n  - {event: bot_text, text_contain: x}",
         ["x.yaml:4: turns[0].expect[0].text_contain: unknown key", "'text_contains'"]),
        ("turns:\n- wav: a.wav\n  text: 3\n", ["x.yaml:3: turns[0].text: expected text, not 3"]),
        ("turns:\n- gap: 1\n  silence: soon", ["x.yaml:3: turns[0].silence: expected a duration"]),
        ("turns:\n- user: 3\n", ["x.yaml:2: turns[0]", "expected text, not 3"]),
        ("turns: [{silence: 301}]", ["turns[0].silence: expected at most 300, not 301"]),
        ("turns: [3]", ["turns[0]: expected a mapping, not 3"]),
        ("turns: 3", ["x.yaml:1: turns: expected a list, not 3"]),
        ("name: ''\nturns: [hi]", ["x.yaml:", "expected"]),
        ("turns: [{user: hi}]\ngreet: maybe", ["x.yaml:2: greet: expected true or false, not 'm"]),
        ("turns: [{user: hi}]\nmissing_audio: speek", ["2: missing_audio: expected one of refuse, "
         "speak, not 'speek'; did you mean 'speak'?"]),
        ("turns: [{user: hi}]\nseed: 1.5", ["x.yaml:2: seed: expected a whole number, not 1.5"]),
        ("turns: [{user: hi}]\nset: 3", ["x.yaml:2: set: expected a mapping, not 3"]),
        ("turns: [{user: hi}]\nvoice:", ["x.yaml:2: voice: expected text, not null"]),
        ("turns: [{user: []}]", ["turns[0].user: expected at least one"]),
        ("turns:\n- {text: hi, at: soon}", ["x.yaml:2: turns[0].at", "'1.5 s'", "'soon'"]),
        ("turns:\n- {text: hi, after: bot_stoped + 1 s}", ["turns[0].after", "'bot_stopped'"]),
        ("turns:\n- {text: hi, after: audible}", ["after the run", "'scheduled'"]),
        ("turns:\n- {text: hi, after: bot_started - 1 s}", ["before it happens"]),
        ("turns:\n- {text: hi, at: 1 s, after: ready}", ["either at or after"]),
        ("turns:\n- {wav: a.wav, silence: 1 s}", ["exactly one of text, wav, silence, noise"]),
        ("turns:\n- {noise: {s: 1, kind: bark}}", ["noise.kind: expected one of white, cough"]),
        ("turns:\n- {noise: {s: 1, dbf: -3}}", ["dbf: unknown key", "'dbfs'"]),
        ("turns:\n- {text: hi, expect: [{turns: 1, event: bot_text}]}", ["exactly one of event"]),
        ("turns:\n- {text: hi, expect: [{from: audible, to: silent}]}", ["needs from, to and"]),
        ("turns:\n- {text: hi, expect: [{event: bot_started, text_contains: x}]}",
         ["have text to check"]),
        ("turns:\n- {text: hi, expect: [{event: bot_text, absent: true, text_contains: x}]}",
         ["absent is about the event alone"]),
        ("turns:\n- {text: hi, expect: [{event: bot_text, calls: [{name: x}]}]}",
         ["calls belongs to"]),
        ("turns:\n- {text: hi, after: previous}", ["first turn has no previous"]),
        ("turns: []", ["turns", "at least one entry"]),
        ("name: only", ["x.yaml:1: turns is missing", "list of what the user says"]),
        ("turns: [", ["not valid YAML", "x.yaml"]),
        ("- a\n- b", ["expected a mapping"]),
        ("", ["expected a mapping"]),
        ("path: x\nturns: [{text: hi}]", ["path: unknown key"]),
        ("timeout: 3 hours\nturns: [{text: hi}]", ["x.yaml:1: timeout", "'3 hours'"]),
        ("turns: [{text: hi}]\nturns: [{text: ho}]", ["turns", "already given on line 1"]),
        ("turns:\n- {text: hi, wav: a.wav, audio: b.wav}", ["audio and wav are the same key"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_where_and_what(
    tmp_path: Path, text: str, parts: list[str]
) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(written(tmp_path, text))
    line = str(caught.value)
    assert "\n" not in line
    assert "x.yaml" in line
    assert [part for part in parts if part not in line] == [], line
    assert caught.value.exit_code == 2


def test_a_suggestion_ends_the_line(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(written(tmp_path, "turns:\n- {text: hi, after: bot_startd + 1 s}"))
    said = str(caught.value).partition("after: ")[2]
    assert said == "unknown event 'bot_startd'; did you mean 'bot_started'?"


@pytest.mark.parametrize("value", [".inf", ".nan", "-1", "100000000", "'999999999 min'", "1.0e+300",
                                   "'" + "9" * 5_000 + "'", "true", "[1]", "{}"])  # fmt: skip
@pytest.mark.parametrize(
    "key",
    ["silence", "at", "gap", "gain_db", "noise.s", "noise.dbfs", "pause_ms", "send_after.delay_ms",
     "timeout", "wait", "tail", "seed", "expect.max_s", "expect.min_s", "expect.within_ms",
     "expect.wer_max", "expect.turns", "expect.interruptions", "after"],
)  # fmt: skip
def test_no_number_is_without_bounds(tmp_path: Path, key: str, value: str) -> None:
    good = {("gain_db", "-1"), ("noise.dbfs", "-1"), ("seed", "100000000")}
    texts = {
        "pause_ms": f"turns: [{{user: [{{pause_ms: {value}}}]}}]",
        "expect.max_s": f"turns: [t]\nexpect: [{{from: audible, to: silent, max_s: {value}}}]",
        "expect.min_s": f"turns: [t]\nexpect: [{{from: audible, to: silent, min_s: {value}}}]",
        "expect.within_ms": f"turns: [t]\nexpect: [{{event: error, within_ms: {value}}}]",
        "expect.wer_max": f"turns: [t]\nexpect: [{{event: bot_text, wer_max: {value}}}]",
        "after": f"turns: [t, {{silence: 1, after: 'previous + {value} s'}}]",
        "silence": f"turns: [{{silence: {value}}}]",
        "noise.s": f"turns: [{{noise: {{s: {value}}}}}]",
        "noise.dbfs": f"turns: [{{noise: {{dbfs: {value}}}}}]",
        "send_after.delay_ms": f"turns: [t, {{silence: 1, send_after: {{delay_ms: {value}}}}}]",
    }
    if key.startswith("expect."):
        text = texts.get(key, f"turns: [t]\nexpect: [{{{key[7:]}: {value}}}]")
    elif key in ("timeout", "wait", "tail", "seed"):
        text = f"turns: [t]\n{key}: {value}"
    else:
        text = texts.get(key, f"turns: [{{silence: 1, {key}: {value}}}]")
    path = written(tmp_path, text.replace("[t", "[{silence: 1}").replace("''", "'"))
    if (key, value) in good:
        assert load_scenario(path)
        return
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300 + len(str(path))


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"tts": {"voic": "x"}}, ["set.tts.voic: unknown key", "tts.voice"]),
        ({"tts.speed": 9}, ["set.tts.speed is 9", "expected"]),
        ({"llm": {"replay": 3}}, ["llm.replay", "name of a file"]),
        ({"tts": "af_heart"}, ["tts", "section"]),
        (
            {"llm": {"provider": "openai", "base_url": "http://127.0.0.1:1/v1"}},
            ["llm.model must be set"],
        ),
    ],
)
def test_a_wrong_setting_is_refused(
    tmp_path: Path, changes: dict[str, object], parts: list[str]
) -> None:
    scenario = Scenario(name="x", path=tmp_path / "x.yaml", turns=[{"text": "hi"}], set=changes)  # type: ignore[list-item, call-arg]
    with pytest.raises(ScenarioError) as caught:
        scenario_settings(scenario, load(None, environ={}).settings)
    assert [part for part in parts if part not in str(caught.value)] == [], str(caught.value)


def test_what_shows_only_later_is_located_too(tmp_path: Path) -> None:
    text = "turns:\n- wav: gone.wav\nset:\n  tts: {voice: a}\n  vad.kind: x\n"
    scenario = load_scenario(written(tmp_path, text))
    with pytest.raises(ScenarioError, match=r"x\.yaml:2: wav 'gone\.wav' not found"):
        find_file("gone.wav", scenario, "wav")
    with pytest.raises(ScenarioError, match=r"x\.yaml:5: set\.vad\.kind is 'x', expected one of"):
        scenario_settings(scenario, load(None, environ={}).settings)


def test_settings_of_the_scenario_win_dotted_or_nested(tmp_path: Path) -> None:
    changes = {"tts.speed": 1.5, "vad": {"kind": "webrtc"}, "llm": "embedded"}
    scenario = Scenario(name="x", path=tmp_path / "x.yaml", turns=[{"text": "hi"}], set=changes)  # type: ignore[list-item, call-arg]
    settings = scenario_settings(scenario, load(None, environ={}).settings)
    assert (settings.tts.speed, settings.vad.kind) == (1.5, "webrtc")
    assert settings.llm.provider == "embedded"


def test_a_missing_file_and_one_that_is_not_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"gone\.yaml: no such file"):
        load_scenario(tmp_path / "gone.yaml")
    (tmp_path / "b.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="not UTF-8"):
        load_scenario(tmp_path / "b.yaml")


def test_pipecats_spelling_means_the_same(tmp_path: Path) -> None:
    ours = load_scenario(written(tmp_path, """
        turns:
        - text: hi
        - {wav: a.wav, text: stop, after: bot_started + 1.2 s,
           expect: [{event: user_text, text_contains: stop}]}
        - user: [I went to, {silence: 2 s}, Spain]
    """))  # fmt: skip
    theirs = load_scenario(written(tmp_path, """
        turns:
        - user: hi
        - {audio: a.wav, user: stop, send_after: {event: bot_started_speaking, delay_ms: 1200},
           expect: [{event: user_transcription, text_contains: stop}]}
        - user: [I went to, {pause_ms: 2000}, Spain]
    """))  # fmt: skip
    assert ours == theirs
    assert ours.turns[1].after == Moment("bot_started", 1.2)
    assert ours.turns[2].said == "I went to Spain"


def test_a_sound_file_is_looked_for_beside_the_scenario_and_in_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "speech"
    folder.mkdir()
    (folder / "a.wav").touch()
    text = "audio_dirs: ['${SPEECH_HERE}']\nturns: [{wav: a.wav}]"
    scenario = load_scenario(written(tmp_path, text))
    with pytest.raises(ScenarioError, match="needs the environment variable SPEECH_HERE"):
        find_file("a.wav", scenario, "wav")
    monkeypatch.setenv("SPEECH_HERE", str(folder))
    assert find_file("a.wav", scenario, "wav") == folder / "a.wav"
    with pytest.raises(ScenarioError, match=r"wav 'b\.wav' not found; looked in"):
        find_file("b.wav", scenario, "wav")


@pytest.mark.parametrize(
    ("text", "seconds"), [("1.5 s", 1.5), ("200ms", 0.2), ("2 min", 120), (3, 3), (".5", 0.5)]
)
def test_durations(text: object, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "-1 s", -1, True, None, "1 h", "1 s s", [1]])
def test_what_is_not_a_duration(text: object) -> None:
    with pytest.raises(ValueError, match="expected a duration"):
        parse_duration(text)


@given(st.floats(0, 1000).map(lambda x: round(x, 3)))
def test_a_moment_keeps_its_delay(delay: float) -> None:
    assert parse_moment(f"user_stopped + {delay} s") == Moment("user_stopped", pytest.approx(delay))
