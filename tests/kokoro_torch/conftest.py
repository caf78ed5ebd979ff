"""One random network for the folder's tests; torch is imported only where a test runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.kokoro_torch.networks import Torch


@pytest.fixture(scope="session")
def kokoro(tmp_path_factory: pytest.TempPathFactory) -> Torch:
    """About 0.7 GB of memory and, for the session, 0.3 GB of disk."""
    from speech.kokoro.torch_streaming import TorchStreamingKokoro
    from tests.kokoro_torch import networks

    folder = tmp_path_factory.mktemp("kokoro")
    original = networks.random_network()
    networks.save(original, folder)
    return networks.Torch(folder, original, TorchStreamingKokoro(folder, "cpu"))
