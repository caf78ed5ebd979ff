"""Where the time between the user's last sound and the bot's first went. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

SEGMENTS = (
    ("endpointing", "endpoint", "the silence that must pass before speech counts as over"),
    ("speech to text", "stt_final", "recognising what was said"),
    ("end of turn", "llm_request", "deciding that the user is done, and asking the model"),
    ("tools", "tool_result", "the model's first answer and the tools it called"),
    ("LLM first token", "llm_first_token", "the model's first word"),
    ("unit wait", "tts_request", "until the model has written a piece that can be spoken"),
    ("voice queue", "synthesis_start", "until the voice begins to compute"),
    ("voice first audio", "first_chunk", "computing the first samples"),
    ("transport", "scheduled", "from the voice to a place on the speaker"),
    ("audible", "audible", "silence at the beginning of the reply's audio"),
)
"""Name, the stage that ends it, and what it means; in the order of the chain."""

FIRST, LAST = "user_speech_end", "audible"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the wait, in seconds after the user's speech ended."""

    name: str
    start: float
    end: float

    @property
    def length(self) -> float:
        """Seconds."""
        return self.end - self.start


def segments(times: Mapping[str, float], endpoint: float | None = None) -> list[Segment]:
    """The wait as a chain without holes; a stage that is missing joins the next one.

    ``endpoint`` is when the detector was sure that speech had ended. Empty where nothing
    was audible.
    """
    if LAST not in times:
        return []
    known = dict(times) if endpoint is None else dict(times) | {"endpoint": endpoint}
    if known.get("tool_result", -math.inf) > known.get("tts_request", math.inf):
        del known["tool_result"]  # words went ahead of the call: nobody waited for it
    chain: list[Segment] = []
    at = 0.0
    for name, stage, _ in SEGMENTS:
        reached = known.get(stage)
        if reached is None:
            continue
        # Stages run side by side (a transcript may beat the detector): none is negative.
        end = min(max(at, reached), max(at, known[LAST]))
        if end > at or stage == LAST:
            chain.append(Segment(name, at, end))
        at = end
    return chain


def slowest(chain: list[Segment]) -> Segment | None:
    """The segment that took longest."""
    return max(chain, key=lambda segment: segment.length, default=None)
