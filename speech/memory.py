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
    now = _status_mb("VmRSS")
    return peak_mb() if now is None else now


def peak_mb() -> float:
    """The most resident memory there was so far, in MB; 0 where the system does not tell."""
    peak = _status_mb("VmHWM")
    if peak is not None:
        return peak
    try:
        import resource  # not on Windows
    except ImportError:
        return 0.0
    # On Linux this would be no less than what the process that started this one had.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_BYTES / 1e6


def _status_mb(field: str) -> float | None:
    """A size that Linux tells of this process; None where it does not."""
    try:
        lines = _STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = next((line for line in lines if line.startswith(f"{field}:")), None)
    return int(found.split()[1]) * 1024 / 1e6 if found else None
