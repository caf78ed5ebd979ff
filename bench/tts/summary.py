"""The record of ``earshot bench tts`` in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.tts.queue import KEEPS_UP


def summary(record: Mapping[str, Any]) -> list[str]:
    """What was measured, part by part; a part left out has no lines."""
    return [*_head(record["config"]), *_speed(record), *_queue(record), *_rest(record)]


def _head(config: Mapping[str, Any]) -> Iterator[str]:
    machine = config["machine"]
    yield f"{machine['cpu']}, {config['threads']} threads, {config['rounds']} rounds, " + (
        f"load {config['load_average_before']} before, {config['load_average_after']} after"
    )
    if config["quick"]:
        yield "A quick run: it shows that the benchmark works, not how fast anything is."


def _speed(record: Mapping[str, Any]) -> Iterator[str]:
    if not record["first_audio_ms"]:
        return
    yield from _table("first audio, ms", record["engines_first_audio_ms"], "10.0f")
    yield from _table(
        "first audio, times ours",
        {name: record[f"first_audio_vs_{name}"] for name in ("kokoro_onnx", "pipecat")},
        "10.2f",
    )
    yield from _table("whole unit, ms", record["engines_total_ms"], "10.0f")
    yield from _table(
        "whole unit, of kokoro_onnx's",
        {
            "ours": record["total_vs_kokoro_onnx"],
            "ours_fast": record["total_fast_vs_kokoro_onnx"],
        },
        "10.2f",
    )
    if (growth := record["first_audio_350_over_45"]) is not None:
        yield f"first audio at 350 phonemes over 45: {growth:.2f}"


def _table(
    title: str, rows: Mapping[str, Mapping[str, float | None] | None], form: str
) -> Iterator[str]:
    present = {name: values for name, values in rows.items() if values}
    lengths = list(next(iter(present.values()), {}))
    if not lengths:
        return
    yield f"{title:<30}" + "".join(f"{length:>10}" for length in lengths) + "  phonemes"
    for name, values in present.items():
        yield f"  {name:<28}" + "".join(_number(values.get(key), form) for key in lengths)


def _queue(record: Mapping[str, Any]) -> Iterator[str]:
    queues = record["queues"]
    if not queues:
        return
    yield (
        f"queues: {queues['played']} played, {queues['kept_up']} with real-time factor below "
        f"{KEEPS_UP:g}, {len(record['gaps'])} gaps in those"
    )
    for gap in record["gaps"]:
        yield f"  gap of {gap['gap_ms']:.0f} ms before unit {gap['unit'] + 1} of {gap['queue']}"


def _rest(record: Mapping[str, Any]) -> Iterator[str]:
    if record["cpu_after_cancel_s"] is not None:
        yield f"processor after cancel: {record['cpu_after_cancel_s']:.3f} s at worst"
        after = record["first_audio_after_cancel"]
        yield f"first audio after a cancel: {_number(after['ratio'], '.2f')} of the undisturbed"
    if record["sentences"]:
        yield (
            f"{record['sentences']} sentences streamed against whole: "
            f"DNSMOS {record['dnsmos_delta']:+.3f}, WER {100 * record['wer_delta']:+.2f} points, "
            f"level within {_number(record['level_db_max'], '.2f')} dB, "
            f"border step {_number(record['border_step_max'], '.2f')} of the largest elsewhere"
        )
    if record["rss_mb"]:
        sizes = record["rss_mb"]
        yield (
            f"memory: {sizes['one_engine_four_sessions']:.0f} MB with four sessions, "
            f"{sizes['one_session_more']:+.1f} MB with one more"
        )


def _number(value: float | None, form: str) -> str:
    width = form.partition(".")[0]
    return f"{'-':>{width}}" if value is None else f"{value:{form}}"
