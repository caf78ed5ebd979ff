"""Running a module of ours as a child: what it loads may crash, print or hang."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any


def ask_child(module: str, arguments: Sequence[str], timeout_s: float) -> Any:
    """The JSON that ``python -m module arguments`` prints on its last line.

    Raises ``ChildError``; a child that takes too long is ended.
    """
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise ChildError(f"no answer within {timeout_s:.0f} s") from error
    lines = done.stdout.decode(errors="replace").splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        last = said[-1] if said else f"exit code {done.returncode}"
        raise ChildError(last) from error


class ChildError(Exception):
    """The child gave no answer; the message is its last line."""
