"""``earshot bench tts`` drives our engine and both peers for real and says what it measured."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.machine import sha256
from bench.options import Options
from bench.tts import quality
from bench.tts.run import voice_sha256
from bench.tts.stage import open_stage
from bot.commands.bench import command
from bot.config.loader import load
from speech.errors import EarshotError, UsageError
from speech.models.store import models_root
from tests.bench.test_record import FakeJudge
from tests.support import require


@pytest.fixture(scope="module", autouse=True)
def _with_models() -> None:
    model = models_root() / "kokoro-82m-int8" / "model.onnx"
    require(model.is_file(), "Kokoro's files: earshot models pull")


def bench(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["tts", *arguments])


@pytest.fixture(scope="module")
def document(loaded_once: None) -> Any:
    """Of one quick run of everything but the quality, which needs packages of its own."""
    result = bench("--quick", "--json", "--only", "first-audio,gaps,cancel,memory")
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


@pytest.mark.models
def test_every_engine_spoke_every_text(document: dict[str, Any]) -> None:
    rows = [row for row in document["rounds"] if row["part"] == "first-audio"]
    assert {(row["engine"], row["length"]) for row in rows} == {
        (engine, length) for engine in ("ours", "kokoro_onnx", "pipecat") for length in (15, 45)
    }
    for row in rows:
        assert 0 < row["first_audio_ms"] <= row["total_ms"]
        assert row["audio_ms"] > 40 * row["phonemes"]
    assert set(document["first_audio_vs_pipecat"]) == {"15", "45"}


@pytest.mark.models
def test_what_was_cancelled_and_what_memory_was_taken(document: dict[str, Any]) -> None:
    cut = [row for row in document["rounds"] if row["part"] == "cancel"]
    assert [row["engine"] for row in cut] == ["ours"] * 3 + ["kokoro_onnx", "pipecat"]
    assert document["cpu_after_cancel_s"] >= 0
    assert document["queues"]["played"] == 1
    sizes = document["rss_mb"]
    assert 10 < sizes["libraries"] < sizes["one_engine"] <= sizes["peak"]
    assert sizes["one_engine_four_sessions"] <= sizes["peak"]
    assert document["dnsmos_delta"] is None


@pytest.mark.models
def test_the_config_says_what_was_compared(document: dict[str, Any]) -> None:
    config = document["config"]
    assert config["model_sha256"].startswith("6e742170d309016e")
    assert config["versions"]["kokoro-onnx"]
    assert config["threads"] >= 1
    assert config["quick"] is True


@pytest.mark.models
def test_a_blend_has_a_hash_and_a_voice_that_of_its_file() -> None:
    folder = models_root() / "kokoro-voices"
    plain = voice_sha256(folder, "af_heart")
    assert plain == sha256(folder / "af_heart.bin")
    assert voice_sha256(folder, "af_heart:0.7+am_adam:0.3") not in (plain, "")


@pytest.mark.models
@pytest.mark.usefixtures("loaded_once")
async def test_whole_and_streamed_are_judged_sentence_by_sentence() -> None:
    async with open_stage(Options(load(None).settings, quick=True)) as stage:
        rows = await quality.measure(stage, FakeJudge())
    assert len(rows) == quality.QUICK_SENTENCES
    for row in rows:
        assert row["dnsmos_whole"]["overall"] > 1000
        assert row["audio_ms"] == pytest.approx(row["audio_whole_ms"], rel=0.05)


def test_wrong_parts_names_and_voices_are_refused() -> None:
    unknown = bench("--only", "first-audio,speed").exception
    assert isinstance(unknown, UsageError)
    assert str(unknown).startswith("this benchmark has no part speed; parts: first-audio,")
    japanese = bench("--only", "memory", "--set", "tts.voice=jf_alpha").exception
    assert isinstance(japanese, UsageError)
    assert "the texts are English" in str(japanese)
    assert CliRunner().invoke(command, ["nothing"]).exit_code == 2


def test_missing_judges_are_named_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bench.tts.judges.find_spec", lambda _name: None)
    refused = bench().exception
    assert isinstance(refused, EarshotError)
    assert "pip install 'earshot[bench]'" in str(refused)
