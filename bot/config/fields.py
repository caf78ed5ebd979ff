"""What configuration keys hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def _not_empty(value: Any) -> Any:
    if value == "":
        raise ValueError("an empty path")
    return value


Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
"""For keys that mean nothing when empty."""


def _has_good_port(url: str) -> str:
    try:
        good = urlsplit(url).port != 0
    except ValueError:
        good = False
    if not good:
        raise ValueError("no URL with a port from 1 to 65535")
    return url


Url = Annotated[
    Text, AfterValidator(_has_good_port), " like http://HOST:PORT/v1, with a port from 1 to 65535"
]
"""The text at the end is for ``keys.expected``."""

File = Annotated[Path, BeforeValidator(_not_empty)]
Seconds = Annotated[float, Field(ge=0, le=60)]
Timeout = Annotated[float, Field(gt=0, le=3_600)]
Threads = Annotated[int, Field(ge=1, le=256)]
Device = Annotated[int, Field(ge=0, le=9_999)]
Port = Annotated[int, Field(ge=0, le=65_535)]


class Section(BaseModel):
    """A part of the configuration: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
