"""What may be shown of a URL and of an error."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

_PROSE = ".,;:!?)]}'\""
"""What may follow a URL in a sentence."""

_USER_INFO = re.compile(r"(?<=//)[^\s/?#]*@")


_AFTER_PATH = re.compile(r"(?P<path>//[^\s?#]*)(?:\?(?P<query>[^\s#'\"<>]*))?(?P<mark>#\S+)?")
_VALUE = re.compile(r"(?P<name>[^=&;]*=)[^&;]*|[^&;]+")


def without_password(text: str) -> str:
    """``text`` with what may be a secret in every URL in it replaced.

    That is user name and password, the query's values and the fragment:
    ``http://…@host/path?key=…#…``.
    """
    return _AFTER_PATH.sub(_values_blanked, _USER_INFO.sub("…@", text))


def _values_blanked(url: re.Match[str]) -> str:
    query, mark = url["query"], url["mark"]
    shown = url["path"]
    if query is not None:
        values = query.rstrip(_PROSE)
        blanked = _VALUE.sub(lambda found: f"{found['name'] or ''}…", values)
        shown += f"?{blanked}{query[len(values) :]}"
    return shown + (f"#…{mark[len(mark.rstrip(_PROSE)) :]}" if mark else "")


def place_of(error: BaseException) -> str:
    """Kind and place of an error, ``ValueError at my_tools.py:12``; not its text.

    An error's text may repeat what somebody said.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
