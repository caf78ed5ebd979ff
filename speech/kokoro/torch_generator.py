"""Kokoro's generator on torch with its norms' statistics taken or given.

The package's blocks hand their second argument, the style, untouched to each adaptive
norm. Here that argument is a ``Pass``, which tells a norm its gain and offset.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import leaky_relu

from speech.kokoro.streaming import Statistics

Tensor = Any

_SLOPE = 0.1
"""Of the leaky ReLU before each upsampling; the one after the last has torch's default."""


class Norms:
    """What all adaptive norms of the generator learned, end to end in the order they run."""

    def __init__(self, layers: list[Any]) -> None:
        norms, styles = [layer.norm for layer in layers], [layer.fc for layer in layers]
        self.sizes = [norm.num_features for norm in norms]
        self.epsilon = norms[0].eps
        halves = [fc.weight.chunk(2) for fc in styles], [fc.bias.chunk(2) for fc in styles]
        # Gains of all layers, then offsets of all layers.
        self._weight, self._bias = (
            torch.cat([half[part] for part in (0, 1) for half in pairs]) for pairs in halves
        )
        self._gain = torch.cat([norm.weight for norm in norms])
        self._offset = torch.cat([norm.bias for norm in norms])

    def style(self, style: Tensor) -> tuple[Tensor, Tensor]:
        """Gains and offsets ``[all channels]`` that apply to a normalised input."""
        gamma, beta = (self._weight @ style.flatten() + self._bias).chunk(2)
        return (1 + gamma) * self._gain, (1 + gamma) * self._offset + beta

    def split(self, values: Tensor) -> list[Tensor]:
        """``[all channels]`` as one ``[1, channels, 1]`` a layer."""
        return [part.view(1, -1, 1) for part in values.split(self.sizes)]


class Pass(ABC):
    """One run of the generator; ``check`` raises once it shall end."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check

    @abstractmethod
    def affine(self, layer: int, x: Tensor) -> tuple[Tensor, Tensor]:
        """Factor and summand ``[1, channels, 1]`` that norm the layer's input."""


class GivenPass(Pass):
    """Statistics from outside: the generator's reach is finite."""

    def __init__(
        self, norms: Norms, style: Tensor, statistics: Statistics, check: Callable[[], None]
    ) -> None:
        super().__init__(check)
        gain, offset = norms.style(style)
        mean, variance = (
            torch.from_numpy(np.concatenate(part)).to(gain.device)
            for part in (statistics.mean, statistics.variance)
        )
        factor = gain * torch.rsqrt(variance + norms.epsilon)
        self._factors = norms.split(factor)
        self._summands = norms.split(offset - mean * factor)

    def affine(self, layer: int, x: Tensor) -> tuple[Tensor, Tensor]:
        return self._factors[layer], self._summands[layer]


class OwnPass(Pass):
    """The input's own statistics, as the network was trained, and kept."""

    def __init__(self, norms: Norms, style: Tensor, check: Callable[[], None]) -> None:
        super().__init__(check)
        self._epsilon = norms.epsilon
        self._gains, self._offsets = (norms.split(part) for part in norms.style(style))
        self._means: list[Tensor] = []
        self._variances: list[Tensor] = []

    def affine(self, layer: int, x: Tensor) -> tuple[Tensor, Tensor]:
        variance, mean = torch.var_mean(x.float(), dim=-1, correction=0, keepdim=True)
        self._means.append(mean)
        self._variances.append(variance)
        factor = self._gains[layer] * torch.rsqrt(variance + self._epsilon)
        return factor, self._offsets[layer] - mean * factor

    def statistics(self) -> Statistics:
        """What the run found, once it has ended."""
        return Statistics(_to_host(self._means), _to_host(self._variances))


def _to_host(parts: list[Tensor]) -> tuple[Any, ...]:
    joined = torch.cat([part.flatten() for part in parts]).cpu().numpy()  # one transfer
    borders = np.cumsum([part.numel() for part in parts])[:-1]
    return tuple(np.split(joined, borders))


class _Norm(nn.Module):
    """Stands where the package's adaptive norm stood."""

    def __init__(self, layer: int) -> None:
        super().__init__()
        self._layer = layer

    def forward(self, x: Tensor, current: Pass) -> Tensor:
        current.check()
        factor, summand = current.affine(self._layer, x)
        return torch.addcmul(summand, x, factor)


class StreamingGenerator:
    """The package's generator, its norms replaced."""

    def __init__(self, generator: Any, *, half: bool = False) -> None:
        """``half``: convolutions in bfloat16; norms, spectrum and phase stay float32."""
        self._net, self._half = generator, half
        places = list(_norm_places(generator))
        self.norms = Norms([layers[k] for layers, k in places])
        for index, (layers, k) in enumerate(places):
            layers[k] = _Norm(index)

    def spectrum(self, x: Tensor, source: Tensor, current: Pass) -> tuple[Tensor, Tensor]:
        """Magnitude and phase ``[1, 11, 60n+1]`` of ``n`` frames.

        ``x`` ``[1, 512, n]``, ``source`` ``[1, 22, 60n+1]``.
        """
        net = self._net
        with torch.autocast(x.device.type, torch.bfloat16, enabled=self._half):
            for level, upsample in enumerate(net.ups):
                x = upsample(leaky_relu(x, _SLOPE))
                if level == net.num_upsamples - 1:
                    x = net.reflection_pad(x)
                x = x + net.noise_res[level](net.noise_convs[level](source), current)
                x = self._average(level, x, current)
        current.check()
        return self._polar(net.conv_post(leaky_relu(x.float())))

    def _average(self, level: int, x: Tensor, current: Pass) -> Tensor:
        count = self._net.num_kernels
        blocks = iter(self._net.resblocks[level * count : (level + 1) * count])
        total = next(blocks)(x, current)
        for block in blocks:
            total = total + block(x, current)
        return total / count

    def _polar(self, bins: Tensor) -> tuple[Tensor, Tensor]:
        edge = self._net.post_n_fft // 2 + 1
        return torch.exp(bins[:, :edge]), torch.sin(bins[:, edge:])


def _norm_places(generator: Any) -> Iterator[tuple[Any, int]]:
    """Where each adaptive norm is kept, in the order they run."""
    count = generator.num_kernels
    for level, noise_block in enumerate(generator.noise_res):
        for block in (noise_block, *generator.resblocks[level * count : (level + 1) * count]):
            for k in range(len(block.adain1)):
                yield block.adain1, k
                yield block.adain2, k
