"""The types that fields of several messages share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

VERSION = 1
"""Of the protocol in this package; 0 is the reference's, which has no ``hello``."""

EVERY_UNIT = "all"
"""In ``cancel``: every unit of the session. No unit may be called so."""

MAX_ID_CHARS = 128
MAX_CREDIT_MS = 3_600_000
"""An hour: more than any session's length."""

SampleRate = Literal[8_000, 16_000, 22_050, 24_000]
SAMPLE_RATES: tuple[SampleRate, ...] = (8_000, 16_000, 22_050, 24_000)


def _not_reserved(unit_id: str) -> str:
    if unit_id == EVERY_UNIT:
        raise ValueError(f'a unit may not be called "{EVERY_UNIT}"')
    return unit_id


UnitId = Annotated[
    str,
    AfterValidator(_not_reserved),
    Field(
        min_length=1,
        max_length=MAX_ID_CHARS,
        description="The client's name for a unit; may be used again once the unit has ended.",
        json_schema_extra={"not": {"const": EVERY_UNIT}},
    ),
]
CancelId = Annotated[
    str,
    Field(min_length=1, max_length=MAX_ID_CHARS, description='A unit, or "all" for every one.'),
]
Version = Annotated[int, Field(ge=0, le=1_000_000)]
Voice = Annotated[str, Field(min_length=1, max_length=256)]
Speed = Annotated[float, Field(ge=0.5, le=2.0, allow_inf_nan=False)]
CreditMs = Annotated[
    int, Field(ge=0, le=MAX_CREDIT_MS, description="Milliseconds of audio that may be sent.")
]
DeadlineMs = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_CREDIT_MS,
        description="The listener's audio runs dry so many milliseconds from now.",
    ),
]
Seconds = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
Samples = Annotated[int, Field(ge=0)]
Nonce = Annotated[str, Field(max_length=MAX_ID_CHARS)]
