"""One random network for the folder's tests; torch is imported only where a test runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.kokoro_torch.networks import Torch


@pytest.fixture(scope="session")
def kokoro() -> Torch:
    """About 0.7 GB of memory.

    One thread: OpenMP's threads wait for each other by spinning, so on a machine that other
    tests keep busy two of them took three times the processor time of one.
    """
    from speech.kokoro.torch_streaming import TorchStreamingKokoro
    from tests.kokoro_torch import networks

    folder, original = networks.laid_down()
    return networks.Torch(folder, original, TorchStreamingKokoro(folder, "cpu", threads=1))
