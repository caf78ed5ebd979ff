"""Guards: however a unit is cut into chunks, torch makes the samples the package makes whole."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="torch: scripts/second_python.sh")

from speech.kokoro.model import Computation  # noqa: E402
from speech.kokoro.streaming import Statistics, Utterance  # noqa: E402
from tests.kokoro_torch.networks import (  # noqa: E402
    IDS,
    OTHER_IDS,
    SPEED,
    Torch,
    noise_of,
    snr_db,
    style,
)

if TYPE_CHECKING:
    from speech.kokoro.torch_streaming import TorchStreamingKokoro

pytestmark = pytest.mark.second_python

LAYERS = 48
"""Eight blocks of six norms."""


@pytest.fixture(scope="module")
def utterance(kokoro: Torch) -> Utterance:
    return kokoro.model.front(IDS, style(), SPEED, Computation())


@pytest.fixture(scope="module")
def calibrated(kokoro: Torch) -> Statistics:
    """Statistics of another unit of the same voice."""
    other = kokoro.model.front(OTHER_IDS, style(), SPEED, Computation())
    return kokoro.model.whole(other, Computation())[1]


@pytest.fixture(scope="module")
def unchunked(kokoro: Torch, utterance: Utterance, calibrated: Statistics) -> NDArray[np.float32]:
    return kokoro.model.chunk(utterance, calibrated, 0, utterance.frames, Computation())


def chunked(
    model: TorchStreamingKokoro, utterance: Utterance, statistics: Statistics, sizes: list[int]
) -> NDArray[np.float32]:
    """All samples, by chunks of ``sizes`` frames; the last size is repeated."""
    borders = [0]
    while borders[-1] < utterance.frames:
        size = sizes[min(len(borders) - 1, len(sizes) - 1)]
        borders.append(min(borders[-1] + size, utterance.frames))
    chunks = [model.chunk(utterance, statistics, a, b, Computation()) for a, b in pairwise(borders)]
    assert [len(chunk) for chunk in chunks] == [300 * (b - a) for a, b in pairwise(borders)]
    return np.concatenate(chunks)


class TestFront:
    def test_durations_add_up_to_the_sound(self, kokoro: Torch, utterance: Utterance) -> None:
        assert utterance.durations.dtype == np.int64
        assert utterance.durations.shape == (len(IDS) + 2,)
        assert np.min(utterance.durations) >= 1
        assert utterance.frames == 2 * utterance.durations.sum()
        audio, _ = kokoro.model.whole(utterance, Computation())
        assert audio.dtype == np.float32
        assert audio.shape == (300 * utterance.frames,)

    def test_slower_is_longer(self, kokoro: Torch, utterance: Utterance) -> None:
        slow = kokoro.model.front(IDS, style(), 0.5, Computation())
        assert slow.frames > 1.5 * utterance.frames

    def test_the_source_has_a_pitch(self, utterance: Utterance) -> None:
        """Else the tests below would not see a phase that goes astray at a border."""
        magnitude = utterance.state.source[0, :11]
        assert float(magnitude.max()) > 0.3

    def test_one_phoneme_and_none(self, kokoro: Torch) -> None:
        for ids in ((43,), ()):
            short = kokoro.model.front(ids, style(), SPEED, Computation())
            audio, _ = kokoro.model.whole(short, Computation())
            assert len(audio) == 300 * short.frames


class TestWhole:
    def test_it_is_what_the_package_makes(self, kokoro: Torch, utterance: Utterance) -> None:
        with noise_of(IDS):
            wanted, durations = kokoro.original.forward_with_tokens(
                torch.tensor([[0, *IDS, 0]]), torch.from_numpy(style()), SPEED
            )
        audio, _ = kokoro.model.whole(utterance, Computation())
        assert utterance.durations.tolist() == durations.tolist()
        assert snr_db(wanted.numpy(), audio) >= 60

    def test_its_statistics_give_it_again(self, kokoro: Torch, utterance: Utterance) -> None:
        audio, own = kokoro.model.whole(utterance, Computation())
        assert len(own.mean) == len(own.variance) == LAYERS
        for mean, variance in zip(own.mean, own.variance, strict=True):
            assert mean.shape == variance.shape
            assert mean.shape in {(256,), (128,)}
            assert mean.dtype == variance.dtype == np.float32
            assert np.min(variance) >= 0
        assert snr_db(audio, chunked(kokoro.model, utterance, own, [16, 32, 64])) >= 60

    def test_the_same_unit_is_the_same_sound_whatever_runs_beside_it(
        self, kokoro: Torch, utterance: Utterance
    ) -> None:
        done = threading.Event()

        def others() -> None:
            while not done.is_set():
                kokoro.model.front(OTHER_IDS, style(), 2.0, Computation())

        thread = threading.Thread(target=others)
        thread.start()
        try:
            again = kokoro.model.front(IDS, style(), SPEED, Computation())
        finally:
            done.set()
            thread.join()
        assert torch.equal(again.state.source, utterance.state.source)
        assert torch.equal(again.state.x, utterance.state.x)

    def test_nobody_elses_random_numbers_are_touched(self, kokoro: Torch) -> None:
        before = torch.random.get_rng_state()
        kokoro.model.front(IDS, style(), SPEED, Computation())
        assert torch.equal(torch.random.get_rng_state(), before)


class TestChunk:
    @pytest.mark.parametrize(
        "sizes", [[16, 32, 64], [7], [1, 40], [40, 1, 200], [3, 5, 8, 13, 21]], ids=str
    )
    def test_any_chunking_is_the_unchunked(
        self,
        kokoro: Torch,
        utterance: Utterance,
        calibrated: Statistics,
        unchunked: NDArray[np.float32],
        sizes: list[int],
    ) -> None:
        assert snr_db(unchunked, chunked(kokoro.model, utterance, calibrated, sizes)) >= 60

    def test_a_border_is_no_larger_step_than_others(
        self, kokoro: Torch, utterance: Utterance, calibrated: Statistics
    ) -> None:
        steps = np.abs(np.diff(chunked(kokoro.model, utterance, calibrated, [20])))
        borders = steps[300 * 20 - 1 :: 300 * 20]
        assert borders.max() <= steps.max()
        assert np.median(borders) <= 3 * np.median(steps)

    def test_the_statistics_are_used(
        self, kokoro: Torch, utterance: Utterance, unchunked: NDArray[np.float32]
    ) -> None:
        audio, _ = kokoro.model.whole(utterance, Computation())
        assert snr_db(audio, unchunked) < 60


class TestHalfPrecision:
    def test_bfloat16_keeps_the_sound(self, kokoro: Torch, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of random weights and on the CPU: that the path works, not how it sounds."""
        short = kokoro.model.front((43,), style(), SPEED, Computation())
        audio, own = kokoro.model.whole(short, Computation())
        monkeypatch.setattr(kokoro.model._generator, "_half", True)
        halved, statistics = kokoro.model.whole(short, Computation())
        assert all(part.dtype == np.float32 for part in statistics.mean)
        assert 20 < snr_db(audio, halved) < 100
        chunk = kokoro.model.chunk(short, own, 0, 6, Computation())
        assert snr_db(audio[: len(chunk)], chunk) > 20
