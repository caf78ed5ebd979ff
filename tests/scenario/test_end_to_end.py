"""With real models and human speech every scenario passes, and the recording says what was said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
import soundfile
from numpy.typing import NDArray

from bot.scenario.words import word_error_rate
from speech.audio.wav import write_wav
from speech.errors import ModelFileError
from speech.hearing.whisper import WhisperRecogniser
from speech.models.store import model_dir
from tests.speech_assets import ASTERISK
from tests.support import require

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.yaml"))
LONGEST_S = 280
"""For one scenario, its models' loading included."""

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.models,
    pytest.mark.timeout(LONGEST_S * len(SCENARIOS)),
]


def have_models() -> bool:
    try:
        for name in ("kokoro-82m-int8", "kokoro-voices", "whisper-tiny.en"):
            model_dir(name)
    except ModelFileError:
        return False
    return True


def earshot(*arguments: str, longest_s: float = LONGEST_S) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=longest_s)


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    require(have_models(), "model files: earshot models pull")
    require(ASTERISK.is_dir(), "human speech: apt-get install asterisk-core-sounds-en-wav")


@dataclass(frozen=True)
class Runs:
    """What one ``earshot run`` of several scenarios printed."""

    exit_code: int
    records: dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def runs(
    installed: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Runs:
    """One run of those scenarios whose tests were asked for: the models are loaded once."""
    asked = [getattr(item, "callspec", None) for item in request.session.items]
    ours = [spec.params["path"] for spec in asked if spec and "path" in spec.params]
    paths = [path for path in SCENARIOS if path in ours] or SCENARIOS[:1]
    out = tmp_path_factory.mktemp("scenarios")
    run = earshot(
        "run", *map(str, paths), "--out", str(out), "--json", longest_s=LONGEST_S * len(paths)
    )
    assert run.stdout, run.stderr
    records = json.loads(run.stdout)
    listed = records if isinstance(records, list) else [records]
    return Runs(run.returncode, {record["name"]: record for record in listed})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ears() -> AsyncIterator[WhisperRecogniser]:
    """Ears that had no part in the runs."""
    recogniser = WhisperRecogniser(model_dir("whisper-tiny.en"), timeout_s=60.0)
    await recogniser.start()
    yield recogniser
    await recogniser.aclose()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
async def test_the_scenario_passes(path: Path, runs: Runs, ears: WhisperRecogniser) -> None:
    record = runs.records[path.stem]
    failed = [check for check in record["checks"] if not check["passed"]]
    assert (failed, record["problems"]) == ([], [])
    assert record["passed"] is True
    spoken_instead = [line for line in record["notices"] if "missing_audio" in line]
    assert spoken_instead == [], "a voice stood in for the human recording"
    assert_stages_in_order(record)
    await assert_recording_says_what_was_heard(record, ears)


def test_the_exit_code_says_whether_all_passed(runs: Runs) -> None:
    passed = all(record["passed"] for record in runs.records.values())
    assert runs.exit_code == (0 if passed else 1)


def assert_stages_in_order(record: dict[str, Any]) -> None:
    order = ["stt_final", "llm_request", "llm_first_token", "tts_request", "first_chunk"]
    order += ["transport_send", "scheduled", "audible"]
    for turn in record["turns"]:
        if "audible" not in turn["times"]:  # the user cut in before a word was said
            continue
        times = [turn["times"][stage] for stage in order]
        assert times == sorted(times), turn["times"]


async def assert_recording_says_what_was_heard(
    record: dict[str, Any], ears: WhisperRecogniser
) -> None:
    """The bot's side of mix.wav, transcribed.

    Not where a reply was cut, or where a machine too busy for speech left holes in it.
    """
    uncut = [turn["heard_text"] for turn in record["turns"]]
    holes = [line for line in record["notices"] if "holes" in line]
    if not uncut or record["interruptions"] or holes:
        return
    samples, rate_hz = soundfile.read(record["files"]["mix"], dtype="int16")
    greeting = record["greeting"]["heard_text"]
    heard = await ears.transcribe(_sounding(samples[:, 1], rate_hz), rate_hz)
    assert word_error_rate(" ".join([greeting, *uncut]), heard.text) <= 0.2, heard.text


def _sounding(samples: NDArray[np.int16], rate_hz: int) -> NDArray[np.int16]:
    """From the first sound to the last: around seconds of silence whisper invents or repeats."""
    sound = np.flatnonzero(np.abs(samples) > 100)
    return samples[max(0, sound[0] - rate_hz // 4) : sound[-1] + rate_hz // 4].copy()


def test_a_recording_cut_off_in_its_header_is_one_line(tmp_path: Path) -> None:
    write_wav(tmp_path / "x.wav", soundfile.read(ASTERISK / "hello.wav", dtype="int16")[0], 8_000)
    whole = (tmp_path / "x.wav").read_bytes()
    (tmp_path / "x.wav").write_bytes(whole[:30])
    scenario = tmp_path / "x.yaml"
    scenario.write_text("turns: [{wav: x.wav}]")
    run = earshot("run", str(scenario), "--out", str(tmp_path / "out"))
    assert (run.returncode, run.stdout) == (2, "")
    assert "x.wav" in run.stderr
    assert run.stderr.count("\n") == 1
