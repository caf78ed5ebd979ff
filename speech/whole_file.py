"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A path beside ``file`` to write to, which takes its place at the end.

    Nothing is left of it where that fails. Who may read the file is as for any new one.
    """
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        os.replace(part, file)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def settle(file: Path) -> None:
    """Return when the content is on the disk.

    Else, where the power fails after a rename, zeros may be found under the new name.
    """
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
