"""A download by another program (pip, npm), watched and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from time import monotonic

from speech.models.job import SourceError
from speech.models.store import Progress

POLL_S = 0.2
STALL_TIMEOUT_S = 120.0
"""Above the programs' own network timeouts with their retries (see ``index``)."""


def run_watched(
    argv: list[str],
    *,
    folder: Path,
    env: dict[str, str],
    advance: Progress,
    stall_timeout_s: float = STALL_TIMEOUT_S,
) -> tuple[int, str]:
    """Run a program in ``folder`` and report how that folder grows.

    Returns its exit status and what it printed. It and its children are killed when the
    folder has not grown for ``stall_timeout_s`` (``SourceError``) and when we are
    interrupted. Output goes to a file: a full pipe would block the program.
    """
    log = folder / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches us alone; the group is ours to kill
        )
        try:
            status = _wait(process, folder, advance, stall_timeout_s)
        except BaseException:  # a stall, Ctrl-C: nothing of it may go on
            os.killpg(process.pid, signal.SIGKILL)  # not reaped yet, so the id is its own
            process.wait()
            raise
    return status, log.read_text(encoding="utf-8", errors="replace")


def _wait(
    process: subprocess.Popen[bytes], folder: Path, advance: Progress, stall_timeout_s: float
) -> int:
    seen, changed_at = 0, monotonic()
    while True:
        try:
            return process.wait(timeout=POLL_S)
        except subprocess.TimeoutExpired:
            size = folder_size(folder)
        if size > seen:
            advance(size - seen)
            seen, changed_at = size, monotonic()
        elif monotonic() - changed_at > stall_timeout_s:
            name = Path(process.args[0]).name  # type: ignore[index, arg-type]
            raise SourceError(f"{name} stalled for {stall_timeout_s:.0f} s and was stopped")


def folder_size(folder: Path) -> int:
    """Bytes of all files under the folder; those that vanish meanwhile do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size
            except OSError:  # moved or deleted by the program we watch
                continue
    return total
