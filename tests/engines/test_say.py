"""``earshot say`` writes the speech or one line that says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from bot.commands.say import command
from speech.audio.wav import read_wav
from speech.errors import EarshotError
from tests.engines.listening import word_error_rate
from tests.engines.registry import kokoro_paths

TEXT = "The train leaves at nine."

pytestmark = pytest.mark.usefixtures("loaded_once")


@pytest.fixture(autouse=True)
def _with_models() -> None:
    kokoro_paths()


def say(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(command, list(arguments), input=stdin)


def refusal(*arguments: str, stdin: str | bytes | None = None) -> EarshotError:
    result = say(*arguments, stdin=stdin)
    assert result.stdout == ""
    assert isinstance(result.exception, EarshotError), result.exception
    assert "\n" not in str(result.exception)
    return result.exception


def test_a_file_and_its_json(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    result = say(TEXT, "-o", str(path), "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert set(record) == {
        "engine", "voice", "sample_rate", "audio_s", "first_audio_ms", "total_ms", "words", "file",
        "rss_mb",
    }  # fmt: skip
    assert 50 < record["rss_mb"] < 8_000
    assert (record["engine"], record["voice"]) == ("kokoro_onnx", "af_heart")
    assert (record["sample_rate"], record["file"]) == (24_000, str(path))
    assert 0 < record["first_audio_ms"] <= record["total_ms"]
    samples, rate_hz = read_wav(path)
    assert record["audio_s"] == pytest.approx(len(samples) / rate_hz, abs=0.001)
    assert word_error_rate(TEXT, samples, rate_hz) <= 0.2
    assert os.listdir(tmp_path) == ["a.wav"]


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("wav", "WAV"), ("flac", "FLAC"), ("mp3", "MP3"), ("ogg", "OGG"), ("opus", "OGG"),
    ],
)  # fmt: skip
def test_the_ending_names_the_format(tmp_path: Path, ending: str, kind: str) -> None:
    """Each file is decoded, and what it says recognised."""
    path = tmp_path / f"a.{ending}"
    record = json.loads(say(TEXT, "-o", str(path), "--json").stdout)
    assert soundfile.info(path).format == kind
    samples, rate_hz = soundfile.read(path, dtype="int16")
    assert (samples.ndim, rate_hz) == (1, 24_000)
    assert len(samples) / rate_hz == pytest.approx(record["audio_s"], abs=0.1)
    assert word_error_rate(TEXT, samples, rate_hz) <= 0.2


def test_a_blend_is_a_voice(tmp_path: Path) -> None:
    arguments = {
        "blend": ("--blend", "af_heart:0.7", "--blend", "am_adam:0.3"),
        "one": ("--blend", "af_heart:0.7+am_adam:0.3"),
        "voice": ("--voice", "af_heart:0.7+am_adam:0.3"),
        "part": ("--voice", "af_heart"),
    }
    audio = {}
    for name, voice in arguments.items():
        path = tmp_path / f"{name}.wav"
        record = json.loads(say("Yes.", "-o", str(path), "--json", *voice).stdout)
        assert record["voice"] == voice[1] if name == "part" else "af_heart:0.7+am_adam:0.3"
        audio[name] = path.read_bytes()
    assert audio["blend"] == audio["one"] == audio["voice"] != audio["part"]


def test_a_hint_is_spoken_and_its_word_is_timed(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    record = json.loads(say("A [dog](/tɹˈAn/) is at nine.", "-o", str(path), "--json").stdout)
    assert [word for word, _, _ in record["words"]] == ["A", "dog", "is", "at", "nine"]
    assert word_error_rate("A train is at nine.", *read_wav(path)) <= 0.2


def test_words_need_no_quotes_and_flags_are_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "a.wav")
    result = say("Hello", "there", "--voice", "am_adam", "--speed", "1.5", "--json", "-o", path)
    assert json.loads(result.stdout)["voice"] == "am_adam"


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_to_standard_output(arguments: tuple[str, ...]) -> None:
    result = say(*arguments, "-o", "-", stdin="Yes.\n")
    samples = np.frombuffer(result.stdout_bytes, "<i2")
    assert len(samples) > 7_200
    assert np.abs(samples).max() > 3_000


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert len(say("-o", "-", stdin=b"Yes \xff\xfe.").stdout_bytes) > 10_000


@pytest.mark.parametrize("text", ["...", "", "😊", "**"])
def test_nothing_to_say_is_a_failure_and_writes_no_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.wav"
    error = refusal(text, "-o", str(path))
    assert error.exit_code == 1
    assert "nothing in this text can be spoken" in str(error)
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("hi", "-o", "a.txt"), "end its name in .wav, .flac"),
        (("hi", "-o", ""), "-o names no file"),
        (("hi", "-o", "no/such/folder/a.wav"), "the folder of no/such/folder/a.wav does not exist"),
        (("hi", "-o", "-", "--json"), "choose one"),
        (("hi", "-o", "a.wav", "--voice", "nobody"), "no voice 'nobody'; choose one of: af_"),
        (
            ("hi", "-o", "a.wav", "--voice", "af_hart"),
            "no voice 'af_hart'; did you mean af_heart? Else choose",
        ),
        (("hi", "-o", "a.wav", "--voice", ""), "no voice ''; choose one of: af_"),
        (("hi", "-o", "a.wav", "--blend", "af_heart", "--blend", "nobody:2"), "no voice 'nobody'"),
        (("hi", "-o", "a.wav", "--blend", "af_heart:0"), "'af_heart' weighs 0; give above 0"),
        (("hi", "-o", "a.wav", "--blend", "af_heart", "--voice", "am_adam"), "choose one"),
        (("hi", "-o", "a.wav", "--speed", "3"), "speed is 3; give 0.5 to 2"),
        (("hi", "-o", "a.wav", "--speed", "nan"), "speed is nan; give 0.5 to 2"),
    ],
)
def test_wrong_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refusal(*arguments)
    assert error.exit_code == 2
    assert message in str(error)
    assert os.listdir(tmp_path) == []


def test_the_voices_are_listed() -> None:
    assert "af_heart" in say("--voices").stdout.split()
    assert "af_heart" in json.loads(say("--voices", "--json").stdout)["voices"]


def test_without_the_sound_card_one_line_says_to_write_a_file() -> None:
    """A real process; the device is one that no machine has."""
    done = subprocess.run(
        [sys.executable, "-m", "bot", "say", "Hello.", "--set", "audio.output_device=no such card"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "cannot play" in done.stderr
    assert "-o speech.wav" in done.stderr


def test_a_reader_that_goes_away_gets_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "say", TEXT, "-o", "-"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=120)
    assert errors == b""
    assert process.returncode in (0, 1)
