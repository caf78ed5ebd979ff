"""The machine a benchmark ran on, and what was installed on it."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.options import usable_cores
from speech.processor import VECTOR_FLAGS

_REPOSITORY = Path(__file__).parent.parent
_GIT_TIMEOUT_S = 5
_HASH_BLOCK_BYTES = 1 << 20


def describe_machine() -> dict[str, Any]:
    """Processor, cores, memory, system; no host name, nothing that names its owner.

    Values that this system does not tell are None.
    """
    cpu = parse_cpuinfo(_read(Path("/proc/cpuinfo")))
    return {
        "cpu": cpu["model"] or platform.processor() or None,
        "cores_usable": usable_cores(),
        "cores": os.cpu_count(),
        "vector_sets": cpu["vector_sets"],
        "memory_mb": _memory_mb(),
        "virtual": cpu["hypervisor"],
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "python": platform.python_version(),
    }


def load_average() -> float | None:
    """Processes that wanted a core over the last minute; None where the system has none."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def versions(packages: Iterable[str]) -> dict[str, str | None]:
    """Installed version of each distribution; None where it is absent."""
    return {name: _version(name) for name in packages}


def commit() -> str | None:
    """The source's commit, with ``+changes`` where tracked files differ; None outside git."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{head}+changes" if changed else head


def sha256(path: Path) -> str:
    """Of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_HASH_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def parse_cpuinfo(text: str) -> dict[str, Any]:
    """Model and instruction sets from Linux's ``/proc/cpuinfo``; None where it lacks them."""
    fields = dict(re.findall(r"^([^\t\n:]+?)\s*: *(.*)$", text, re.MULTILINE))
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    known = bool(flags)
    return {
        "model": fields.get("model name") or None,
        "vector_sets": [flag for flag in VECTOR_FLAGS if flag in flags] if known else None,
        "hypervisor": "hypervisor" in flags if known else None,
    }


def _memory_mb() -> int | None:
    found = re.search(r"MemTotal:\s+(\d+) kB", _read(Path("/proc/meminfo")))
    return int(found.group(1)) * 1024 // 1_000_000 if found else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # not Linux
        return ""


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _git(*arguments: str) -> str:
    result = subprocess.run(
        ["git", "-C", str(_REPOSITORY), *arguments],
        capture_output=True, text=True, check=True, timeout=_GIT_TIMEOUT_S,
    )  # fmt: skip
    return result.stdout.strip()
