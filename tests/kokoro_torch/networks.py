"""A Kokoro of the published shape with random weights, laid down as it is published."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import kokoro_onnx
import numpy as np
import torch
from numpy.typing import NDArray

from speech.kokoro import torch_package
from speech.kokoro.model import Computation
from speech.kokoro.torch_streaming import SeededFront, TorchStreamingKokoro, unit_seed

IDS = tuple(43 + 7 * k % 90 for k in range(30))
OTHER_IDS = tuple(43 + 11 * k % 90 for k in range(24))
SPEED = 1.0
VOICE = "af_random"


@dataclass(frozen=True)
class Torch:
    """``model`` is loaded from ``folder``; ``original`` is the package's, untouched."""

    folder: Path
    original: Any
    model: TorchStreamingKokoro


def published_config() -> dict[str, Any]:
    """Kokoro-82M's ``config.json``, which kokoro-onnx carries."""
    path = Path(kokoro_onnx.__file__).parent / "config.json"
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return config


def random_network(seed: int = 0) -> Any:
    """The package's network; speaks 25 ms a phoneme or a little more, around 120 Hz."""
    torch.manual_seed(seed)
    network = torch_package.build(torch_package._package(), published_config())
    with torch.no_grad():
        network.predictor.F0_proj.weight.mul_(40)
        network.predictor.F0_proj.bias.fill_(120.0)
        network.predictor.duration_proj.linear_layer.bias.fill_(-3.9)
    return network


def save(network: Any, folder: Path) -> None:
    """As published: from a data-parallel training, before the norms had affine pairs."""
    (folder / "config.json").write_text(json.dumps(published_config()))
    state = {
        part: {
            f"module.{key}": value
            for key, value in getattr(network, part).state_dict().items()
            if not key.endswith((".norm.weight", ".norm.bias"))
        }
        for part in ("bert", "bert_encoder", "predictor", "decoder", "text_encoder")
    }
    torch.save(state, folder / "kokoro-v1_0.pth")


@cache
def laid_down() -> tuple[Path, Any]:
    """A folder with a random network and a voice, and that network.

    0.3 GB of disk, removed when the process ends.
    """
    folder = Path(tempfile.mkdtemp(prefix="earshot-kokoro-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    network = random_network()
    save(network, folder)
    save_voice(folder)
    return folder, network


def save_voice(folder: Path) -> None:
    """One voice, the same style for any length."""
    np.repeat(style()[None], 510, axis=0).astype("<f4").tofile(folder / f"{VOICE}.bin")


def style(seed: int = 1) -> NDArray[np.float32]:
    return (0.3 * np.random.default_rng(seed).standard_normal((1, 256))).astype(np.float32)


@contextmanager
def noise_of(ids: tuple[int, ...]) -> Iterator[None]:
    """What the package draws at random is what our front draws for these phonemes."""
    with SeededFront(unit_seed(ids), torch.device("cpu"), lambda: None):
        yield


class FakeComputation(Computation):
    """Stops itself when it is asked for the ``stop_at``-th time, and counts."""

    def __init__(self, stop_at: int | None = None) -> None:
        super().__init__()
        self.asked = 0
        self._stop_at = stop_at

    @property
    def stopped(self) -> bool:
        self.asked += 1
        if self._stop_at is not None and self.asked >= self._stop_at:
            self.stop()
        return super().stopped


def snr_db(wanted: NDArray[np.float32], got: NDArray[np.float32]) -> float:
    """Signal to difference, up to 300 dB."""
    assert wanted.shape == got.shape
    assert np.abs(wanted).max() > 1e-3
    signal = float(np.square(wanted, dtype=np.float64).sum())
    return 10 * float(np.log10(signal / (float(np.square(wanted - got).sum()) + 1e-30 * signal)))
