"""What recognises speech: the interface, its result, its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from speech.errors import EarshotError

RECOGNISER_RATE_HZ = 16_000
"""The rate every whisper model wants; other rates are resampled before it."""


class RecognitionError(EarshotError):
    """The recogniser failed on this audio; it stays usable for the next."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said, and how sure the recogniser is that something was said.

    ``no_speech_prob`` is 0 (speech) to 1; ``avg_logprob`` is the mean log probability per
    token. Both are None where an endpoint does not report them.
    """

    text: str
    no_speech_prob: float | None = None
    avg_logprob: float | None = None


class Recogniser(Protocol):
    """A warm model, or an endpoint, that conversations share."""

    name: str

    async def start(self) -> None:
        """Load and warm up, off the event loop; later calls return at once."""
        ...

    async def transcribe(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        """The words in ``samples`` (mono). Raises ``RecognitionError``."""
        ...

    async def aclose(self) -> None:
        """Release the model or the connection; idempotent."""
        ...
