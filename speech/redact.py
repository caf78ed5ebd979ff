"""What may be shown of a URL and of an error."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

_USER_INFO = re.compile(r"(?<=//)[^\s/?#]*@")


def without_password(text: str) -> str:
    """``text`` with user name and password of every URL in it replaced: ``http://…@host``."""
    return _USER_INFO.sub("…@", text)


def place_of(error: BaseException) -> str:
    """Kind and place of an error, ``ValueError at my_tools.py:12``; not its text.

    An error's text may repeat what somebody said.
    """
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
