"""Checks of the machine: Python, processor, memory, disk."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from bot.doctor.check import Check

PYTHONS = ((3, 11), (3, 13))
"""First and last that the dependencies have wheels for (pyproject's requires-python)."""

_VNNI_FLAGS = ("avx512_vnni", "avx_vnni", "asimddp", "i8mm")
"""What /proc/cpuinfo calls the int8 dot products that Kokoro's int8 model is made for."""

ENOUGH_CORES = 2
ENOUGH_MEMORY_BYTES = 1_500_000_000
"""Kokoro, whisper, the embedded model and Python together, as measured: about 1.1 GB."""

SPARE_DISK_BYTES = 200_000_000


def check_python(version: tuple[int, int] = sys.version_info[:2]) -> Check:
    """Whether the dependencies exist for this Python."""
    first, last = PYTHONS
    detail = f"{platform.python_version()} ({sys.executable})"
    if first <= version <= last:
        return Check("python", "ok", detail)
    wanted = f"{first[0]}.{first[1]} to {last[0]}.{last[1]}"
    return Check("python", "fail", detail, f"install Python {wanted}; make setup finds it")


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> Check:
    """Cores this process may use, and int8 dot products where the system tells."""
    cores = usable_cores()
    flags = _flags(cpuinfo)
    fast = sorted(flags.intersection(_VNNI_FLAGS))
    detail = f"{cores} core{'s' * (cores != 1)}, {platform.machine()}"
    if cores < ENOUGH_CORES:
        return Check("processor", "warn", detail, "replies start late: give it two cores or more")
    if flags and not fast:
        detail += ", no int8 dot products"
        return Check(
            "processor", "warn", detail, "speech is synthesised more slowly; expect pauses"
        )
    return Check("processor", "ok", detail + (f", {', '.join(fast)}" if fast else ""))


def usable_cores() -> int:
    """Cores this process may run on, which a container may have fewer of than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_memory(meminfo: Path = Path("/proc/meminfo")) -> Check | list[Check]:
    """Free memory, where the system tells."""
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
            detail = f"{free / 1e9:.1f} GB free"
            if free < ENOUGH_MEMORY_BYTES:
                fix = f"a conversation needs about {ENOUGH_MEMORY_BYTES / 1e9:.1f} GB"
                return Check("memory", "warn", detail, fix)
            return Check("memory", "ok", detail)
    return []


def check_disk(folder: Path, needed_bytes: int) -> Check:
    """Room for the models that are still to be fetched into ``folder``."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    detail = f"{free / 1e9:.1f} GB free for {folder}"
    if not os.access(there, os.W_OK) and needed_bytes:
        return Check("disk", "fail", f"{there} is not writable", "set models.dir to one that is")
    if needed_bytes and free < needed_bytes + SPARE_DISK_BYTES:
        fix = f"the models need {needed_bytes / 1e6:.0f} MB: free some, or set models.dir"
        return Check("disk", "fail", detail, fix)
    return Check("disk", "ok", detail)


def _flags(cpuinfo: Path) -> set[str]:
    try:
        text = cpuinfo.read_text()
    except OSError:
        return set()
    for line in text.splitlines():
        if line.lower().startswith(("flags", "features")):
            return set(line.partition(":")[2].split())
    return set()
