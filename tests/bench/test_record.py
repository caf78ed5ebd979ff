"""The record of ``earshot bench tts`` has the issue's keys, computed from the rows it holds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from bench.playback import Arrival
from bench.tts import cancel, quality, queue, speed
from bench.tts.contestant import Spoken
from bench.tts.run import record
from bench.tts.summary import summary

KEYS = {
    "name", "config", "rounds", "first_audio_vs_kokoro_onnx", "first_audio_vs_pipecat",
    "first_audio_ms", "first_audio_350_over_45", "total_vs_kokoro_onnx", "gaps",
    "cpu_after_cancel_s", "dnsmos_delta", "wer_delta", "level_db_max", "rss_mb",
}  # fmt: skip
CONFIG = {
    "machine": {"cpu": "A CPU"}, "threads": 2, "rounds": 2, "quick": False,
    "load_average_before": 0.1, "load_average_after": 0.9,
}  # fmt: skip


def speed_row(engine: str, length: int, first_ms: float, total_ms: float) -> dict[str, Any]:
    return {
        "engine": engine, "length": length, "first_audio_ms": first_ms,
        "first_audible_ms": first_ms + 30, "total_ms": total_ms,
    }  # fmt: skip


SPEED = [
    speed_row("ours", 45, 200, 900), speed_row("ours", 45, 240, 700),
    speed_row("ours", 350, 330, 6000), speed_row("kokoro_onnx", 45, 1100, 1100),
    speed_row("kokoro_onnx", 350, 6600, 6600), speed_row("pipecat", 45, 1320, 1320),
    speed_row("pipecat", 350, 6930, 6930),
]  # fmt: skip


def queue_row(rtf: float, gaps: list[dict[str, Any]], lead_ms: float) -> dict[str, Any]:
    return {
        "round": 1, "queue": [15, 350], "real_time_factor": rtf, "least_lead_ms": lead_ms,
        "gaps": gaps,
    }  # fmt: skip


GAP = {"at_ms": 900.0, "gap_ms": 50.0, "unit": 1, "between_units": True}
QUEUES = [queue_row(0.4, [], 120.0), queue_row(0.7, [GAP], -50.0), queue_row(1.1, [GAP], -50.0)]
CANCELS = [
    {"engine": "ours", "cpu_after_cancel_s": 0.05, "cpu_idle_s": 0.01,
     "next_first_audio_ms": 300, "undisturbed_first_audio_ms": 300},
    {"engine": "ours", "cpu_after_cancel_s": 0.12, "cpu_idle_s": 0.01,
     "next_first_audio_ms": 330, "undisturbed_first_audio_ms": 300},
    {"engine": "pipecat", "cpu_after_cancel_s": 3.5},
]  # fmt: skip


def quality_row(engine: str, mos: float, errors: int, level: float | None) -> dict[str, Any]:
    return {
        "engine": engine, "dnsmos": {"overall": mos, "p808": mos},
        "dnsmos_whole": {"overall": 3.2, "p808": 3.2}, "words": 50, "word_errors": errors,
        "word_errors_whole": 1, "level_db": level, "border_step": None if level is None else 0.4,
        "border_step_nearby": 0.3,
    }  # fmt: skip


QUALITY = [
    quality_row("ours", 3.1, 2, 0.5),
    quality_row("ours", 3.2, 1, -0.8),
    quality_row("ours", 3.3, 1, None),
]
MEMORY = {"one_engine_four_sessions": 400.0, "one_session_more": 1.5}
RAW = {
    "first-audio": SPEED, "gaps": QUEUES, "cancel": CANCELS, "quality": QUALITY, "memory": MEMORY,
}  # fmt: skip


def test_the_document() -> None:
    document = record(CONFIG, RAW)
    assert set(document) >= KEYS
    assert len(document["rounds"]) == sum(map(len, (SPEED, QUEUES, CANCELS, QUALITY)))
    assert {row["part"] for row in document["rounds"]} == {
        "first-audio", "gaps", "cancel", "quality",
    }  # fmt: skip
    json.dumps(document, allow_nan=False)


def test_peers_are_over_ours_and_totals_ours_over_theirs() -> None:
    figures = speed.figures(SPEED)
    assert figures["first_audio_ms"] == {"45": 220, "350": 330}
    assert figures["first_audio_vs_kokoro_onnx"] == {"45": 5.0, "350": 20.0}
    assert figures["first_audio_vs_pipecat"] == {"45": 6.0, "350": 21.0}
    assert figures["first_audio_350_over_45"] == 1.5
    assert figures["total_vs_kokoro_onnx"] == {"45": 0.727, "350": 0.909}
    assert figures["total_fast_vs_kokoro_onnx"] is None


def test_fast_is_a_figure_of_its_own() -> None:
    figures = speed.figures([*SPEED, speed_row("ours_fast", 45, 100, 550)])
    assert figures["total_fast_vs_kokoro_onnx"] == {"45": 0.5}
    both = quality.figures([*QUALITY, quality_row("ours_fast", 3.0, 3, 1.0)])
    assert both["dnsmos_delta"] == pytest.approx(0)
    assert both["dnsmos_delta_fast"] == pytest.approx(-0.2)
    assert both["wer_delta_fast"] == pytest.approx(0.04)
    assert "dnsmos_delta_fast" not in quality.figures(QUALITY)


def test_a_gap_counts_where_the_machine_keeps_up() -> None:
    figures = queue.figures(QUEUES)
    assert [gap["real_time_factor"] for gap in figures["gaps"]] == [0.7]
    assert [gap["real_time_factor"] for gap in figures["gaps_when_too_slow"]] == [1.1]
    assert figures["queues"] == {"played": 3, "kept_up": 2, "least_lead_ms": -50.0}


def test_the_worst_cancel_is_the_figure() -> None:
    figures = cancel.figures(CANCELS)
    assert figures["cpu_after_cancel_s"] == 0.12
    assert figures["cpu_after_cancel_peers_s"] == {"pipecat": 3.5}
    assert figures["first_audio_after_cancel"]["ratio"] == 1.05


def test_quality_is_streamed_minus_whole() -> None:
    figures = quality.figures(QUALITY)
    assert figures["wer_delta"] == pytest.approx(1 / 150)
    assert figures["level_db_max"] == 0.8
    assert figures["border_step_max"] == 0.4
    assert figures["sentences"] == 3


def test_parts_left_out_are_null() -> None:
    document = record(CONFIG, {})
    assert set(document) >= KEYS
    left_out = KEYS - {"name", "config", "rounds"}
    assert {document[key] for key in left_out} == {None}
    assert document["rounds"] == []


@pytest.mark.parametrize("raw", [RAW, {}, *({part: rows} for part, rows in RAW.items())])
def test_the_summary_says_what_was_measured(raw: dict[str, Any]) -> None:
    lines = "\n".join(summary(record(CONFIG, raw)))
    assert ("phonemes" in lines) == ("first-audio" in raw)
    assert ("gap of 50 ms before unit 2" in lines) == ("gaps" in raw)
    assert ("0.120 s at worst" in lines) == ("cancel" in raw)
    assert ("3 sentences" in lines) == ("quality" in raw)
    assert ("400 MB" in lines) == ("memory" in raw)


class FakeJudge:
    """Scores by loudness."""

    def opinion(self, samples: np.ndarray) -> dict[str, float]:
        return dict.fromkeys(("overall", "p808"), float(np.abs(samples).max()))

    def errors(self, text: str, samples: np.ndarray) -> tuple[int, int]:
        return int(not samples.any()), len(text.split())


def test_a_sentence_is_judged_in_both_forms() -> None:
    pieces = [np.full(2400, 1000, np.int16), np.full(2400, 2000, np.int16)]
    spoken = Spoken(pieces, [Arrival(0.1, 0.1), Arrival(0.2, 0.1)])
    row = quality.compare(FakeJudge(), "two words", spoken, np.zeros(2400, np.int16))
    assert (row["dnsmos"]["overall"], row["dnsmos_whole"]["overall"]) == (2000, 0)
    assert (row["word_errors"], row["word_errors_whole"], row["words"]) == (0, 1, 2)
    assert row["level_db"] is None
    assert spoken.borders == [2400]
    assert (spoken.first_s, spoken.total_s, spoken.audible_s) == (0.1, 0.2, 0.1)
