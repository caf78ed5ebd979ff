"""Native libraries that write to the terminal behind Python's back."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_HANDLER = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
)


@cache
def _ignore() -> ctypes._FuncPointer:
    """Kept for the life of the process: ALSA holds a bare pointer to it."""
    return _HANDLER(lambda *_: None)


def silence_alsa() -> None:
    """Stop ALSA from printing "underrun occurred" and the like; we count and report those.

    Nothing happens where there is no ALSA.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(_ignore())
    except (OSError, AttributeError):  # not there, or without that function: nothing to silence
        return
