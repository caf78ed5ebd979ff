"""What may be repeated of the words of a server, which need not be ours."""

from __future__ import annotations

import re

from speech.wire import Code

_A_CODE = re.compile(r"[a-z0-9]{1,20}(?:_[a-z0-9]{1,20}){0,4}")


def code_in(said: str) -> str:
    """``said`` where it can only be a code, such as ``queue_saturated``; else nothing.

    Errors are logged, and a container's own words may hold the text that it was given.
    """
    return said if _A_CODE.fullmatch(said) else ""


def says(code: str) -> str:
    """A line for an error of this code; what it means is told in our words."""
    known = next((f": {each.meaning}" for each in Code if each == code), "")
    return f"the speech server says {code_in(code) or 'no'}{known}"
