"""Guards: a stopped computation ends between two layers, and the model speaks on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch: scripts/second_python.sh")

from speech.errors import EngineError  # noqa: E402
from speech.kokoro.model import Computation  # noqa: E402
from speech.kokoro.streaming import Statistics, Utterance  # noqa: E402
from tests.kokoro_torch.networks import (  # noqa: E402
    IDS,
    SPEED,
    FakeComputation,
    Torch,
    style,
)

pytestmark = pytest.mark.second_python

Step = Callable[[Computation], object]


@pytest.fixture(scope="module")
def utterance(kokoro: Torch) -> Utterance:
    return kokoro.model.front(IDS, style(), SPEED, Computation())


@pytest.fixture(scope="module")
def statistics(kokoro: Torch, utterance: Utterance) -> Statistics:
    return kokoro.model.whole(utterance, Computation())[1]


@pytest.fixture(params=["front", "whole", "chunk"])
def step(
    request: pytest.FixtureRequest, kokoro: Torch, utterance: Utterance, statistics: Statistics
) -> Step:
    model = kokoro.model
    steps: dict[str, Step] = {
        "front": lambda computation: model.front(IDS, style(), SPEED, computation),
        "whole": lambda computation: model.whole(utterance, computation),
        "chunk": lambda computation: model.chunk(utterance, statistics, 8, 24, computation),
    }
    return steps[request.param]


def test_one_not_yet_begun_ends_at_once(step: Step) -> None:
    computation = FakeComputation()
    computation.stop()
    with pytest.raises(EngineError, match="stopped"):
        step(computation)
    assert computation.asked == 1


def test_it_ends_wherever_it_is(step: Step) -> None:
    through = FakeComputation()
    step(through)
    # A chunk asks before each of its 48 norms, so between any two convolutions.
    assert through.asked >= 48
    for stop_at in np.linspace(2, through.asked, 5, dtype=int):
        computation = FakeComputation(int(stop_at))
        with pytest.raises(EngineError, match="stopped"):
            step(computation)
        assert computation.asked == stop_at
        assert not torch.is_inference_mode_enabled()
        assert torch.is_grad_enabled()


def test_the_next_one_is_unharmed(
    kokoro: Torch, utterance: Utterance, statistics: Statistics
) -> None:
    before = kokoro.model.chunk(utterance, statistics, 8, 24, Computation())
    with pytest.raises(EngineError):
        kokoro.model.chunk(utterance, statistics, 8, 24, FakeComputation(20))
    with pytest.raises(EngineError):
        kokoro.model.front(IDS, style(), SPEED, FakeComputation(200))
    after = kokoro.model.chunk(utterance, statistics, 8, 24, Computation())
    assert np.array_equal(before, after)


class TestFailing:
    def test_too_many_phonemes_are_refused(self, kokoro: Torch) -> None:
        with pytest.raises(EngineError, match="511 phonemes are more than Kokoro's 510"):
            kokoro.model.front([43] * 511, style(), SPEED, Computation())

    def test_what_torch_refuses_is_one_line(self, kokoro: Torch) -> None:
        with pytest.raises(EngineError, match=r"^Kokoro failed: ") as caught:
            kokoro.model.front(IDS, np.zeros((1, 7), np.float32), SPEED, Computation())
        assert "\n" not in str(caught.value)

    def test_a_voice_that_is_not_numbers_is_an_error_not_noise(self, kokoro: Torch) -> None:
        bad = style()
        bad[0, :128] = np.nan
        utterance = kokoro.model.front((43,), bad, SPEED, Computation())
        with pytest.raises(EngineError, match="not numbers"):
            kokoro.model.whole(utterance, Computation())
