"""How much memory this process takes."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024


def resident_mb() -> float:
    """Resident memory now, in MB (1,000,000 bytes).

    Where the system does not tell, the most there was so far; 0 where it tells neither.
    """
    gc.collect()
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return peak_mb()
    line = next(line for line in lines if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024 / 1e6


def peak_mb() -> float:
    """The most resident memory there was so far, in MB; 0 where the system does not tell."""
    try:
        import resource  # not on Windows
    except ImportError:
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES / 1e6
