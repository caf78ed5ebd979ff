"""Which graphs are used: measured once, remembered, exact where in doubt."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from speech.kokoro import precision
from speech.kokoro.graph.prepare import Prepared
from speech.kokoro.graph.variants import Front
from speech.kokoro.onnx_streaming import FLOAT32_GRAPHS, Graphs
from speech.kokoro.precision import CHOICES, choose, is_chosen, snr_db
from speech.processor import processor

Audio = NDArray[np.float32]
VOICE = np.zeros((510, 1, 256), np.float32)
INT8 = Graphs(front_precision="published", generator="int8")


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    fronts: tuple[Front, ...] = ("float32", "published", "int8")
    return Prepared(tmp_path, 0, (), {}, ("float32", "int8", "fast"), fronts, "0" * 64)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What each measurement was admitted; its outcome is ``INT8``."""
    calls: list[list[str]] = []

    def measure(_prepared: object, _threads: int, _voice: object, admitted: list[str]) -> Graphs:
        calls.append(admitted)
        return INT8

    monkeypatch.setattr(precision, "_measured", measure)
    return calls


def test_a_choice_is_measured_once(prepared: Prepared, measured: list[list[str]]) -> None:
    assert not is_chosen(prepared, "auto", 2)
    assert choose(prepared, "auto", 2, VOICE) == choose(prepared, "auto", 2, VOICE) == INT8
    assert measured == [["float32", "int8"]]
    assert is_chosen(prepared, "auto", 2)


def test_only_fast_admits_what_costs_quality(prepared: Prepared, measured: list[list[str]]) -> None:
    choose(prepared, "fast", 2, VOICE)
    assert measured == [["float32", "int8", "fast"]]


def test_other_threads_are_measured_anew(prepared: Prepared, measured: list[list[str]]) -> None:
    choose(prepared, "auto", 1, VOICE)
    choose(prepared, "auto", 2, VOICE)
    assert len(measured) == 2
    assert is_chosen(prepared, "auto", 1)


def test_float32_needs_no_measurement(prepared: Prepared, measured: list[list[str]]) -> None:
    assert choose(prepared, "float32", 2, VOICE) == FLOAT32_GRAPHS
    assert is_chosen(prepared, "float32", 2)
    assert not measured


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {"generator": "x", "b": 1}}'])
def test_a_damaged_file_is_measured_anew(
    prepared: Prepared, measured: list[list[str]], text: str
) -> None:
    (prepared.folder / CHOICES).write_text(text)
    assert choose(prepared, "auto", 2, VOICE) == INT8
    assert json.loads((prepared.folder / CHOICES).read_text())


@pytest.mark.parametrize("field", ["front_precision", "generator"])
def test_what_another_version_chose_is_measured_anew(
    prepared: Prepared, measured: list[list[str]], field: str
) -> None:
    choose(prepared, "auto", 2, VOICE)
    choose(prepared, "auto", 1, VOICE)
    file = prepared.folder / CHOICES
    known = json.loads(file.read_text())
    next(iter(known.values()))[field] = "int4"
    file.write_text(json.dumps(known))
    assert not is_chosen(prepared, "auto", 2)
    assert is_chosen(prepared, "auto", 1)
    assert choose(prepared, "auto", 2, VOICE) == INT8
    assert is_chosen(prepared, "auto", 2)


def test_a_folder_that_cannot_be_written_costs_only_time(
    prepared: Prepared, measured: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(precision, "replacing", full)
    assert choose(prepared, "auto", 2, VOICE) == INT8
    assert not is_chosen(prepared, "auto", 2)


@pytest.mark.parametrize(
    ("times", "place"),
    [([1.0], 0), ([1.0, 0.5], 1), ([1.0, 0.97], 0), ([1.0, 0.8, 0.4], 2), ([0.5, 1.0, 2.0], 0)],
)
def test_float32_gives_way_only_to_what_is_well_faster(times: list[float], place: int) -> None:
    assert precision._fastest(times) == place


def test_a_front_in_int8_that_overflows_is_not_used() -> None:
    published = np.ones((1, 2, 8), np.float32)
    for int8, is_used in ((1.1 * published, True), (2 * published, False), (None, False)):
        made: dict[Front, Audio] = {"float32": published, "published": published}
        made |= {} if int8 is None else {"int8": int8}
        fronts: list[Front] = ["float32", "published", *(["int8"] if is_used else [])]
        assert precision._usable_fronts(made) == fronts
    shorter = {"published": published, "int8": published[:, :, 1:]}
    assert precision._usable_fronts(shorter) == ["published"]


def test_candidates_take_turns() -> None:
    order: list[int] = []
    times = precision._timed([lambda: order.append(0), lambda: order.append(1)])
    assert order == [0, 1] * (len(order) // 2)
    assert len(times) == 2


@pytest.mark.parametrize(
    ("slow", "rounds", "least"),
    [
        ([1.0, 1.0, 1.0, 1.0], 4, 1.0),
        ([1.0, 1.0, 9.0, 9.0], 4, 1.0),
        ([9.0, 7.0, 8.0, 6.0, 1.0, 1.05], 6, 1.0),
        ([2.0**-n for n in range(16)], 16, 2.0**-15),
    ],
)
def test_a_busy_machine_is_given_more_rounds(slow: list[float], rounds: int, least: float) -> None:
    now, left = 0.0, list(slow)

    def steady() -> None:
        nonlocal now
        now += 3.0

    def disturbed() -> None:
        nonlocal now
        now += left.pop(0)

    times = precision._timed([steady, disturbed], clock=lambda: now)
    assert times == pytest.approx([3.0, least])
    assert len(slow) - len(left) == rounds


def test_signal_to_noise() -> None:
    ones = np.ones(100, np.float32)
    assert snr_db(ones, ones) == np.inf
    assert snr_db(ones, 1.1 * ones) == pytest.approx(20, abs=0.01)


def test_the_processor_is_its_model_and_vector_sets(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(
        "model name\t: A Chip\nflags\t\t: fpu avx2 avx512_vnni sse\n\nmodel name\t: B"
    )
    assert processor(cpuinfo) == "A Chip avx2 avx512_vnni"
    assert processor(tmp_path / "none")
