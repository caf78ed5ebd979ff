"""Kokoro in two halves, in torch.

Not measured for want of the hardware (2026-11): speed, first audio and quality on CUDA and
MPS, and bfloat16 with the published weights. Shapes, chunk equality and cancelling were
tested on the CPU, with random weights.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.overrides import TorchFunctionMode

from speech.errors import EngineError, UsageError
from speech.kokoro.model import Computation
from speech.kokoro.streaming import CONTEXT_FRAMES, SAMPLES_PER_FRAME, Statistics, Utterance
from speech.kokoro.torch_generator import GivenPass, OwnPass, Pass, StreamingGenerator
from speech.kokoro.torch_package import load_network

MAX_PHONEMES = 510
COLUMNS_PER_FRAME = 60
"""Of the spectrum: a step of 5 samples."""

Tensor = Any


@dataclass(frozen=True)
class _State:
    """The generator's input of one unit, on the device."""

    x: Tensor
    style: Tensor
    source: Tensor


@dataclass(frozen=True)
class _Seam:
    """What the package's decoder hands its generator."""

    x: Tensor
    style: Tensor
    pitch: Tensor

    def squeeze(self) -> _Seam:
        """The package takes this for the sound and squeezes it."""
        return self


class _Cut(nn.Module):
    """Stands where the generator stood, so that the package's forward ends there."""

    def forward(self, x: Tensor, style: Tensor, pitch: Tensor) -> _Seam:
        return _Seam(x, style, pitch)


class SeededFront(TorchFunctionMode):
    """While entered, in this thread: random numbers are the unit's own, and it can be stopped.

    The harmonic source has random phases and noise. Drawn from the unit's own generator
    they are the same whenever it is spoken, and whatever other threads do meanwhile.
    """

    def __init__(self, seed: int, device: Any, check: Callable[[], None]) -> None:
        super().__init__()
        self._check, self._ended = check, False
        self._generator = torch.Generator(device).manual_seed(seed)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Called for every torch function."""
        self._check_once()
        if func is torch.rand:
            return func(*args, **(kwargs or {}), generator=self._generator)
        if func is torch.randn_like:
            (like,) = args
            return torch.randn(
                like.shape, generator=self._generator, device=like.device, dtype=like.dtype
            )
        return func(*args, **(kwargs or {}))

    def _check_once(self) -> None:
        """What cleans up behind the first error calls torch too, and shall get through."""
        if not self._ended:
            self._ended = True
            self._check()
            self._ended = False


class TorchStreamingKokoro:
    """The package's network, loaded; see ``StreamingKokoro`` for the promises.

    Stopping takes effect between two layers. On a GPU the layers already handed to it still
    run: at most the rest of the chunk.
    """

    streams = True
    context_frames = CONTEXT_FRAMES

    def __init__(
        self, folder: Path, device: str = "auto", *, threads: int = 0, half: bool | None = None
    ) -> None:
        """Load ``config.json`` and the ``*.pth`` of ``folder``.

        ``device``: ``auto`` takes CUDA, then MPS, then the CPU. ``threads`` bounds the CPU's,
        for the whole process; 0 leaves torch's choice. ``half``, on CUDA only, runs the
        generator's convolutions in bfloat16; None does where the device has it. Raises
        ``ModelFileError`` and ``UsageError``.
        """
        self.device = choose_device(device)
        half = choose_half(self.device, half)
        self.precision = f"{'bfloat16' if half else 'float32'} on {self.device.type}"
        if threads:
            torch.set_num_threads(threads)
        self._split(load_network(folder), half)

    def _split(self, network: Any, half: bool) -> None:
        self.vocabulary: dict[str, int] = network.vocab
        network.requires_grad_(False).to(self.device)
        generator = network.decoder.generator
        network.decoder.generator = _Cut()
        self._network, self._net = network, generator
        # Complex numbers are complete there; elsewhere spectra are made on the CPU.
        self._spectral = self.device if self.device.type == "cuda" else torch.device("cpu")
        generator.m_source.to(self._spectral)
        self._generator = StreamingGenerator(generator, half=half)
        for module in network.modules():
            if isinstance(module, nn.LSTM):
                _flatten_once(module)

    def front(
        self, ids: Sequence[int], style: NDArray[np.float32], speed: float, computation: Computation
    ) -> Utterance:
        """See ``StreamingKokoro.front``."""
        if len(ids) > MAX_PHONEMES:
            raise EngineError(f"{len(ids)} phonemes are more than Kokoro's {MAX_PHONEMES}")
        check = _checker(computation)
        with _computing(), SeededFront(unit_seed(ids), self._spectral, check):
            tokens = torch.tensor([[0, *ids, 0]], device=self.device)
            row = torch.tensor(style, dtype=torch.float32, device=self.device)
            seam, durations = self._network.forward_with_tokens(tokens, row, speed)
            state = _State(seam.x, seam.style, self._source_spectrum(seam.pitch))
            return Utterance(seam.x.shape[2], durations.cpu().numpy(), state)

    def _source_spectrum(self, pitch: Tensor) -> Tensor:
        """Magnitude and phase ``[1, 22, 60 * frames + 1]`` of the harmonic source."""
        samples = self._net.f0_upsamp(pitch.to(self._spectral)[:, None])
        excitation, _, _ = self._net.m_source(samples.transpose(1, 2))
        polar = self._net.stft.transform(excitation.flatten()[None])
        return torch.cat(polar, dim=1).to(self.device)

    def whole(
        self, utterance: Utterance, computation: Computation
    ) -> tuple[NDArray[np.float32], Statistics]:
        """See ``StreamingKokoro.whole``."""
        state: _State = utterance.state
        with _computing():
            current = OwnPass(self._generator.norms, state.style, _checker(computation))
            audio = self._audio(state.x, state.source, current)
            return audio, current.statistics()

    def chunk(
        self,
        utterance: Utterance,
        statistics: Statistics,
        start: int,
        stop: int,
        computation: Computation,
    ) -> NDArray[np.float32]:
        """See ``StreamingKokoro.chunk``."""
        state: _State = utterance.state
        first = max(0, start - self.context_frames)
        last = min(utterance.frames, stop + self.context_frames)
        with _computing():
            norms, check = self._generator.norms, _checker(computation)
            audio = self._audio(
                state.x[:, :, first:last],
                state.source[:, :, COLUMNS_PER_FRAME * first : COLUMNS_PER_FRAME * last + 1],
                GivenPass(norms, state.style, statistics, check),
            )
        from_sample = SAMPLES_PER_FRAME * (start - first)
        return audio[from_sample : from_sample + SAMPLES_PER_FRAME * (stop - start)]

    def _audio(self, x: Tensor, source: Tensor, current: Pass) -> NDArray[np.float32]:
        magnitude, phase = self._generator.spectrum(x, source, current)
        current.check()
        sound = self._net.stft.inverse(magnitude.to(self._spectral), phase.to(self._spectral))
        samples: NDArray[np.float32] = sound.flatten().cpu().numpy()
        if not np.isfinite(samples).all():
            raise EngineError("Kokoro failed: its samples are not numbers")
        return samples


def choose_device(name: str) -> Any:
    """The torch device; ``auto`` takes CUDA, then MPS, then the CPU. Raises ``UsageError``."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next((kind for kind, is_there in there.items() if is_there), "cpu"))
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"no such device {name!r}; give auto, cuda, mps or cpu") from error
    if not there.get(device.type, device.type == "cpu"):
        raise UsageError(f"torch sees no {device.type} device here; give auto or cpu")
    return device


def choose_half(device: Any, half: bool | None) -> bool:
    """``half``, or where it is None whether the device computes in bfloat16.

    Raises ``UsageError`` for half precision elsewhere than on CUDA: it is slower there, or
    incomplete.
    """
    if half and device.type != "cuda":
        raise UsageError(f"half precision needs a CUDA device, not {device.type}: tts.half auto")
    if half is None:
        return device.type == "cuda" and bool(
            torch.cuda.is_bf16_supported(including_emulation=False)
        )
    return half


def unit_seed(ids: Sequence[int]) -> int:
    """The same phonemes always get the same noise."""
    return zlib.crc32(np.asarray(ids, np.int64).tobytes())


def _flatten_once(lstm: Any) -> None:
    """The package re-packs the weights at every call, under the feet of other threads."""
    lstm.flatten_parameters()
    lstm.flatten_parameters = _nothing


def _nothing() -> None:
    pass


def _checker(computation: Computation) -> Callable[[], None]:
    def check() -> None:
        if computation.stopped:
            raise EngineError("Kokoro was stopped")

    return check


@contextmanager
def _computing() -> Iterator[None]:
    """Without gradients; torch's errors become ``EngineError``."""
    try:
        with torch.inference_mode():
            yield
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise EngineError(f"Kokoro failed: {reason}") from error
