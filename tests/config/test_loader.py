"""Guards: values come from file < environment < flags; any mistake is one line that helps.

The line names the place, the key, what was expected and the nearest valid key.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.config.keys import accepts, dotted, leaves
from bot.config.loader import IN_REPOSITORY, load, value_at
from bot.config.schema import Settings
from speech.errors import UsageError


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str | bytes) -> str:
    Path("c.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return "c.yaml"


BAD_FILES = [
    ("", "c.yaml is empty"),
    (" \n\n", "c.yaml is empty"),
    ("just words\n", "c.yaml: expected a mapping"),
    ("- a\n", "c.yaml: expected a mapping"),
    ("a: [\n", "c.yaml line 2: not YAML"),
    ('tts: {voice: "abc\n', "not YAML: found unexpected end of stream"),
    ("tts:\n\tvoice: x\n", "c.yaml line 2: not YAML: a tab where spaces are needed"),
    (b"\xff\xfe\x00", "c.yaml: not YAML: not UTF-8 text"),
    ("x\x00: 1\n", "c.yaml: not YAML: unprintable character"),
    ("---\na: 1\n---\nb: 2\n", "c.yaml line 3: not YAML"),
    ("tts:\n  voice: *x\n", "c.yaml line 2: not YAML: found undefined alias"),
    ("tts:\n  voice: !!python/name:os.system x\n", "c.yaml line 2: not YAML"),
    ("? [a]\n: b\n", "c.yaml line 1: a key must be a word"),
    ("tts:\n  voise: x\n", "c.yaml line 2: unknown key tts.voise; did you mean tts.voice?"),
    ("voice: x\n", "c.yaml line 1: unknown key voice; did you mean tts.voice?"),
    ("TTS: {voice: x}\n", "c.yaml line 1: unknown key TTS; did you mean tts?"),
    ("zzz: x\n", "unknown key zzz; the sections are bot, audio,"),
    ("tts: {qqq: x}\n", "unknown key tts.qqq; the keys of tts are engine, voice,"),
    ("tts: {voice: a, speed: 1, voice: b}\n", "tts.voice was already given on line 1"),
    ("tts: {}\nvad: {}\ntts: {}\n", "c.yaml line 3: tts was already given on line 1"),
    ("tts: af_heart\n", "c.yaml line 1: tts is a section"),
    ("tts: [a]\n", "c.yaml line 1: tts is a section"),
    ("tts:\n  speed: 5\n", "c.yaml line 2: tts.speed is 5, expected a number from 0.5 to 2"),
    ("tts: {speed: fast}\n", "tts.speed is 'fast', expected a number from"),
    ("tts: {speed: true}\n", "tts.speed is true, expected a number"),
    ("tts: {speed: .nan}\n", "tts.speed is nan, expected a number"),
    ("turn: {silence_s: .inf}\n", "turn.silence_s is inf, expected a number from 0 to 60"),
    ("turn: {silence_s: -1}\n", "turn.silence_s is -1, expected a number from 0 to 60"),
    ("units: {first_clause: maybe}\n", "'maybe', expected true or false"),
    ("web: {port: 99999}\n", "web.port is 99999, expected a whole number from 0 to 65535"),
    ("web: {port: null}\n", "web.port is null, expected a whole number"),
    ("vad: {kind: siler0}\n", "expected one of silero, webrtc; did you mean silero?"),
    ("stt: {threads: 5000}\n", "stt.threads is 5000, expected a whole number from 1 to 256"),
    ("tts: {threads: -1}\n", "tts.threads is -1, expected a whole number from 0 to 256"),
    ("tts: {voice: ''}\n", "tts.voice is '', expected text that is not empty"),
    ("models: {dir: ''}\n", "models.dir is '', expected a path or null"),
    ("bot: {language: no}\n", "expected text that is not empty; put it in quotes"),
    ("audio: {latency_s: 3}\n", "expected a number from 0 to 1 or one of low, high"),
    ("tools: {enabled: [a, 1]}\n", "expected a list, each text"),
    ("tts: {speed: 5, threads: -1}\n", "(and 1 more)"),
    ("llm: {provider: openai, base_url: 'http://x/v1'}\n", "c.yaml line 1: llm.model must be set"),
    ("llm: {base_url: 'http://h:99999/v1'}\n", "expected text like http://HOST:PORT/v1"),
    ("stt: {base_url: 'http://u:sk-123456@h:0'}\n", "stt.base_url is 'http://…@h:0', expected"),
    ("llm: {base_url: 'http://u:sk-123456@[::1'}\n", "llm.base_url is 'http://…@[::1', expected"),
    ("llm: {api_key: sk-123456}\n", "llm.api_key is a secret: put it in .env"),
    ("OPENAI_API_KEY: sk-123456\n", "is a secret: put it in .env"),
    ("phone: {auth_token: abc}\n", "is a secret: put it in .env"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD_FILES)
def test_bad_file_is_one_line(text: str | bytes, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(write(text), environ={})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "sk-123456" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("# only comments\n", "tts.voice", "af_heart"),
        ("tts:\n  # voice: x\n", "tts.voice", "af_heart"),
        ("\ufefftts: {voice: am_adam}\n", "tts.voice", "am_adam"),
        ("llm: embedded\n", "llm.provider", "embedded"),
        ("tts: {<<: {voice: x, speed: 2}, voice: y}", "tts.voice", "y"),
        ("tts: {speed: 2}\n", "tts.speed", 2.0),
        ("tools: {enabled: []}\n", "tools.enabled", ()),
        ("audio: {input_device: 3}\n", "audio.input_device", 3),
        ("llm: {embedded: {threads: 2}}\n", "llm.embedded.threads", 2),
    ],
)  # fmt: skip
def test_good_file(text: str, key: str, value: object) -> None:
    settings = load(write(text), environ={}).settings
    assert value_at(settings, tuple(key.split("."))) == value


@pytest.mark.parametrize(
    ("environ", "flags", "value", "origin"),
    [
        ({}, [], "file", "c.yaml line 2"),
        ({"EARSHOT_TTS__VOICE": "env"}, [], "env", "EARSHOT_TTS__VOICE"),
        ({"EARSHOT_TTS__VOICE": "env"}, ["tts.voice=flag"], "flag", "--set tts.voice"),
        ({}, ["tts.voice=one", "tts.voice=two"], "two", "--set tts.voice"),
    ],
)
def test_precedence(environ: dict[str, str], flags: list[str], value: str, origin: str) -> None:
    loaded = load(write("tts:\n  voice: file\n"), overrides=flags, environ=environ)
    assert loaded.settings.tts.voice == value
    assert loaded.origins["tts.voice"] == origin
    assert loaded.origins["tts.speed"] == "default"
    assert loaded.origins.keys() == {dotted(key) for key in leaves()}


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("EARSHOT_LLM", "embedded", "llm.provider", "embedded"),
        ("EARSHOT_LLM__EMBEDDED__THREADS", "2", "llm.embedded.threads", 2),
        ("EARSHOT_BOT__LANGUAGE", "no", "bot.language", "no"),
        ("EARSHOT_BOT__NAME", "123", "bot.name", "123"),
        ("EARSHOT_BOT__GREETING", "", "bot.greeting", ""),
        ("EARSHOT_LLM__BASE_URL", "", "llm.base_url", None),
        ("EARSHOT_MODELS__DIR", "", "models.dir", None),
        ("EARSHOT_BOT__GREETING", "Say: hi [now", "bot.greeting", "Say: hi [now"),
        ("EARSHOT_UNITS__FIRST_CLAUSE", "off", "units.first_clause", False),
        ("EARSHOT_AUDIO__INPUT_DEVICE", "2", "audio.input_device", 2),
        ("EARSHOT_AUDIO__INPUT_DEVICE", "null", "audio.input_device", None),
        ("EARSHOT_AUDIO__LATENCY_S", "1e-2", "audio.latency_s", 0.01),
        ("EARSHOT_TOOLS__ENABLED", "[current_time]", "tools.enabled", ("current_time",)),
        ("earshot_tts__voice", "x", "tts.voice", "af_heart"),
    ],
)
def test_variables_are_typed(name: str, text: str, key: str, value: object) -> None:
    settings = load(write("# none\n"), environ={name: text}).settings
    assert value_at(settings, tuple(key.split("."))) == value


@pytest.mark.parametrize(
    ("environ", "flags", "said"),
    [
        ({"EARSHOT_TTS_VOICE": "x"}, [], "unknown key; did you mean EARSHOT_TTS__VOICE?"),
        ({"EARSHOT_TTS__SPEED": "9"}, [], "TTS__SPEED: tts.speed is 9, expected a number from"),
        ({"EARSHOT_TTS__VOICE": ""}, [], "tts.voice is '', expected text that is not empty"),
        ({"EARSHOT_TTS__SPEED": " "}, [], "tts.speed is ' ', expected a number from"),
        ({}, ["stt.model="], "--set stt.model: stt.model is '', expected text that is not empty"),
        ({"EARSHOT_TTS__SPED": "9"}, [], "unknown key; did you mean EARSHOT_TTS__SPEED?"),
        ({"EARSHOT_TTS": "x"}, [], "EARSHOT_TTS: tts is a section"),
        ({"EARSHOT_LLM__API_KEY": "sk-1"}, [], "is a secret: put it in .env"),
        ({}, ["tts.sped=1"], "--set tts.sped: unknown key; did you mean tts.speed?"),
        ({}, ["tts"], "--set tts: expected KEY=VALUE"),
        ({}, ["=x"], "expected KEY=VALUE"),
        ({}, ["llm=embeded"], "did you mean embedded?"),
    ],
)  # fmt: skip
def test_bad_variable_or_flag(environ: dict[str, str], flags: list[str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(write("# none\n"), overrides=flags, environ=environ)
    assert said in str(caught.value)


EMPTY_MEANS_SOMETHING = {"bot.system_prompt", "bot.greeting", "bot.goodbye", "bot.apology"}
EMPTY_MEANS_SOMETHING |= {
    "bot.reprompt",
    "bot.lost_voice",
    "evidence.apology",
    "evidence.hedge",
    "evidence.correction",
}


@pytest.mark.parametrize("key", leaves(), ids=dotted)
def test_no_key_takes_an_endless_number_or_nothing(key: tuple[str, ...]) -> None:
    endless = [10**9, -(10**9), 1e300, -1e300, float("inf"), float("nan")]
    assert [value for value in endless if accepts(key, value)] == []
    assert accepts(key, "") is (dotted(key) in EMPTY_MEANS_SOMETHING)


def test_secrets_are_no_settings() -> None:
    assert load(write("# x\n"), environ={"EARSHOT_STT_API_KEY": "k"}).settings == Settings()


def test_every_variable_of_ours_is_known() -> None:
    """A name that is used somewhere but not known here would end every command."""
    root = IN_REPOSITORY.parent
    used = set()
    for folder in ("bot", "processors", "transports", "server", "speech", "scripts", "bench"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".py", ".sh"):
                used |= set(re.findall(r"\bEARSHOT_[A-Z_]*[A-Z]\b", path.read_text()))
    environ = {name: "x" for name in used if "__" not in name}
    assert load(write("# none\n"), environ=environ).settings == Settings()


def test_dotenv_holds_settings_below_the_environment() -> None:
    Path(".env").write_text("EARSHOT_TTS__VOICE=dot\nEARSHOT_BOT__NAME=Dot\nOPENAI_API_KEY=k\n")
    loaded = load(write("tts: {voice: file}\n"), environ={"EARSHOT_BOT__NAME": "Env"})
    assert (loaded.settings.tts.voice, loaded.settings.bot.name) == ("dot", "Env")
    assert loaded.origins["tts.voice"] == ".env: EARSHOT_TTS__VOICE"


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_unreadable_file(name: str) -> None:
    with pytest.raises(UsageError, match=r"no configuration file|cannot read"):
        load(name, environ={})


def test_working_directory_wins_over_what_came_with_earshot() -> None:
    assert load(environ={}).path == IN_REPOSITORY
    Path("config.yaml").write_text("tts: {voice: here}\n")
    loaded = load(environ={})
    assert loaded.settings.tts.voice == "here"
    assert loaded.origins["tts.voice"] == "config.yaml line 1"


def test_debug_sets_the_log_level() -> None:
    loaded = load(write("log: {level: ERROR}\n"), environ={}, debug=True)
    assert (loaded.settings.log.level, loaded.origins["log.level"]) == ("DEBUG", "--debug")


def test_shipped_file_has_every_key_at_its_default_with_a_comment() -> None:
    loaded = load(str(IN_REPOSITORY), environ={})
    assert loaded.settings == Settings()
    assert [key for key, origin in loaded.origins.items() if origin == "default"] == []
    lines = [line for line in IN_REPOSITORY.read_text().splitlines() if line]
    prompt = [line for line in lines if line.startswith("    ") and ":" not in line]
    assert [line for line in lines if "#" not in line and line not in prompt] == []


@given(
    st.dictionaries(
        st.sampled_from(["tts", "voice", "llm", "vad", "x", "", "speed"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=2)
            | st.dictionaries(st.text(max_size=5), inner, max_size=2),
            max_leaves=4,
        ),
        max_size=3,
    )
)  # fmt: skip
def test_any_mapping_loads_or_is_refused_in_one_line(tree: dict[str, object]) -> None:
    said = ""
    try:
        load(write(yaml.safe_dump(tree)), environ={})
    except UsageError as error:
        said = str(error)
    assert "\n" not in said
