"""The processor, as far as it decides how fast a network runs."""

from __future__ import annotations

import platform
import re
from pathlib import Path

VECTOR_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp", "i8mm")
"""Instruction sets that matter; virtual machines hide some, and name the model vaguely."""


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Its model and vector sets; what the system tells where it has no ``/proc/cpuinfo``."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        return platform.processor() or platform.machine()
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
    sets = [flag for flag in VECTOR_FLAGS if flags and flag in flags[1].split()]
    return " ".join([model[1].strip() if model else platform.machine(), *sets])
