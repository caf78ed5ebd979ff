"""Which of a model's graphs are fastest on this machine, measured once."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from speech.kokoro.g2p import ids_of
from speech.kokoro.graph.halves import AUDIO, X
from speech.kokoro.graph.prepare import Prepared
from speech.kokoro.graph.variants import Front, Precision, front_in
from speech.kokoro.model import Computation, open_session
from speech.kokoro.onnx_streaming import FLOAT32_GRAPHS, Graphs, OnnxStreamingKokoro
from speech.kokoro.voices import Voice, style_for
from speech.processor import processor
from speech.whole_file import replacing

Wanted = Literal["auto", "float32", "fast"]

CHOICES = "choices.json"
_SPOKEN = "ðə tɹˈeɪn lˈiːvz æt nˈaɪn, ænd juː ʃʊd biː ðˈɛɹ tˈɛn mˈɪnɪts bᵻfˈoːɹ."
_FRAMES = 64
_ROUNDS, _MOST_ROUNDS = 4, 16
_ALIKE = 1.1
"""Two of a candidate's times that differ by no more show what it takes. What is chosen is kept, so
a busy machine is given more rounds: there float32, twice as slow, was once chosen before int8."""
_WORTH = 0.95
"""Another precision than float32 is worth it if it takes less than this share of the time."""
_LEAST_DB: dict[Precision, float] = {"float32": math.inf, "int8": 18.0, "fast": 9.0}
"""Signal to noise against float32, below which something is wrong with int8 on this processor:
without VNNI its sums may overflow. 23 to 26 and 14 to 18 dB where all is well."""
_LEAST_FRONT_DB = 15.0
"""The same of the front in int8 against that as published; 23 to 25 dB where all is well."""


def choose(prepared: Prepared, wanted: Wanted, threads: int, voice: Voice) -> Graphs:
    """The fastest graphs that ``wanted`` admits; measured for some seconds, then remembered.

    ``float32``: all in float32. ``auto``: also the front as published, and ``int8``. ``fast``:
    also ``fast``. Raises ``ModelFileError`` and ``EngineError``.
    """
    if wanted == "float32":
        return FLOAT32_GRAPHS
    file, key = prepared.folder / CHOICES, _key(wanted, threads)
    known = _read(prepared)
    if key in known:
        return known[key]
    admitted = [p for p in prepared.precisions if p != "fast" or wanted == "fast"]
    chosen = _measured(prepared, threads, voice, admitted)
    _write(file, known | {key: chosen})
    return chosen


def is_chosen(prepared: Prepared, wanted: Wanted, threads: int) -> bool:
    """Whether ``choose`` will return at once."""
    return wanted == "float32" or _key(wanted, threads) in _read(prepared)


def _measured(prepared: Prepared, threads: int, voice: Voice, admitted: list[Precision]) -> Graphs:
    """All candidates take turns, so that other work on the machine slows each of them."""
    kokoro = OnnxStreamingKokoro(prepared, threads)
    ids = ids_of(_SPOKEN)
    style = style_for(voice, len(ids))
    computation = Computation()
    utterance = kokoro.front(ids, style, 1.0, computation)
    _, own = kokoro.whole(utterance, computation)

    def load(name: str) -> onnxruntime.InferenceSession:
        return open_session(prepared.folder / f"{name}.onnx", threads)

    feed = kokoro.feed_of_chunk(utterance, own, 0, min(_FRAMES, utterance.frames))
    chunks = {precision: load(Graphs(generator=precision).chunk) for precision in admitted}
    sound = {precision: session.run([AUDIO], feed)[0] for precision, session in chunks.items()}
    sane: list[Precision] = [
        p for p in admitted if snr_db(sound["float32"], sound[p]) >= _LEAST_DB[p]
    ]
    times = _timed([partial(chunks[p].run, [AUDIO], feed) for p in sane])
    generator = sane[_fastest(times)]

    front_feed = kokoro.feed_of_front(ids, style, 1.0)
    fronts = {front: load(front_in(front)) for front in prepared.fronts}
    usable = _usable_fronts({f: s.run([X], front_feed)[0] for f, s in fronts.items()})
    times = _timed([partial(fronts[front].run, [X], front_feed) for front in usable])
    return Graphs(usable[_fastest(times)], generator)


def _usable_fronts(made: dict[Front, NDArray[np.float32]]) -> list[Front]:
    """All but an ``int8`` that gives something else than the front it was made of."""
    published, int8 = made.get("published"), made.get("int8")
    is_wrong = (
        published is None
        or int8 is None
        or published.shape != int8.shape
        or snr_db(published, int8) < _LEAST_FRONT_DB
    )
    return [front for front in made if front != "int8" or not is_wrong]


def _timed(
    runs: list[Callable[[], object]], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The least time of each in seconds: what it takes undisturbed, if it ever was."""
    times: list[list[float]] = [[] for _ in runs]
    for done in range(1, _MOST_ROUNDS + 1):
        for run, known in zip(runs, times, strict=True):
            begun = clock()
            run()
            known.append(clock() - begun)
        if done >= _ROUNDS and all(map(_is_steady, times)):
            break
    return [min(known) for known in times]


def _is_steady(times: list[float]) -> bool:
    """On a busy machine no two runs take alike, and the least may be none undisturbed."""
    least, second = sorted(times)[:2]
    return second <= _ALIKE * least


def _fastest(times: list[float]) -> int:
    """Which to take; the first is exact and gives way only to what is well faster."""
    place = min(range(len(times)), key=times.__getitem__)
    return place if times[place] < _WORTH * times[0] else 0


def snr_db(reference: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Signal to noise of ``other``, in dB; infinite where they are equal."""
    noise = float(np.sum((reference.astype(float) - other.astype(float)) ** 2))
    signal = float(np.sum(reference.astype(float) ** 2))
    return 10 * math.log10(signal / noise) if noise and signal else math.inf


def _key(wanted: Wanted, threads: int) -> str:
    """What the outcome depends on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    facts = [processor(), str(cores), str(threads), onnxruntime.__version__, wanted]
    return " | ".join(facts)


def _read(prepared: Prepared) -> dict[str, Graphs]:
    """What was chosen before, of the graphs there are: another version may know others."""
    try:
        known = json.loads((prepared.folder / CHOICES).read_text())
        choices = {key: Graphs(**value) for key, value in known.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
    return {
        key: graphs
        for key, graphs in choices.items()
        if graphs.front_precision in prepared.fronts and graphs.generator in prepared.precisions
    }


def _write(file: Path, choices: dict[str, Graphs]) -> None:
    """Whole or not at all; where nothing may be written it is measured at every start."""
    facts = {key: asdict(graphs) for key, graphs in choices.items()}
    with suppress(OSError), replacing(file) as part:
        part.write_text(json.dumps(facts, indent=1))
