"""Fetching models: one at a time per machine, verified, atomic, resumable."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Protocol

from filelock import FileLock, Timeout

from speech.errors import EarshotError
from speech.models.catalog import Model, find_model
from speech.models.hub import HubSource
from speech.models.index import TEMPORARY_PREFIX, IndexSource
from speech.models.job import Job, NoSpaceError, QuietWatch, SourceError, Watch, no_space_line
from speech.models.local import LocalSource
from speech.models.store import check_files, is_usable, models_root

STAGING_NAME = ".staging"
LOCK_WAIT_S = 3_600.0
"""How long a second process waits for the first: a slow line may need that for 100 MB."""

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


class PullError(EarshotError):
    """A model could not be fetched; the message lists what was tried."""


class Source(Protocol):
    """A place models come from."""

    name: str

    def fetch(self, job: Job) -> None:
        """Install what is missing; ``SourceError`` where something still is."""
        ...


@dataclass(frozen=True, slots=True)
class Pulled:
    """How a pull ended. ``missing``: names of files a model usable in part goes without."""

    model: Model
    folder: Path
    source: str | None
    seconds: float
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def build_sources(order: Iterable[str], local_dir: Path | None) -> list[Source]:
    """The sources of ``models.sources``, in its order; ``local`` only with a folder."""
    sources: list[Source] = []
    for name in order:
        if name == "local" and local_dir is not None:
            sources.append(LocalSource(local_dir))
        elif name == "huggingface":
            sources.append(HubSource())
        elif name == "index":
            sources.append(IndexSource())
    return sources


def ensure(
    ids: Iterable[str],
    sources: Sequence[Source],
    root: Path | None = None,
    watch: Watch | None = None,
) -> list[Pulled]:
    """Fetch those of the models that cannot be used yet; returns what was fetched.

    Blocks for as long as the downloads take: call it before anything is served. Raises
    ``PullError``, ``UsageError`` for an unknown id.
    """
    wanted = [find_model(model_id) for model_id in ids]
    folder = models_root(root)
    return [
        pull_model(model, sources, folder, watch)
        for model in wanted
        if not is_usable(model, check_files(model, folder / model.id))
    ]  # fmt: skip


def pull_model(
    model: Model, sources: Sequence[Source], root: Path, watch: Watch | None = None
) -> Pulled:
    """Fetch the model's missing and corrupt files from the first sources that have them.

    Safe to run in several processes at once: the others wait, and then find it there.
    Raises ``PullError``; what was complete stays installed, what was under way is kept
    to be continued, and nothing unverified is ever under its final name.
    """
    watch = watch or QuietWatch()
    started = monotonic()
    folder = root / model.id
    states = check_files(model, folder)
    if all(state == "verified" for state in states.values()):
        return Pulled(model, folder, None, monotonic() - started)
    for name in (name for name, state in states.items() if state == "corrupt"):
        watch.notice(f"{folder / name} is corrupt; fetching it again.")
    try:
        with _locked(model, root, watch) as staging:
            job = Job(model, folder, staging, watch)
            source, reasons = _fetch(job, sources)
            missing = tuple(file.name for file in job.missing())
            if not missing:
                _empty(staging)
    except OSError as error:
        raise _disk_error(model, root, error) from error
    if not is_usable(model, check_files(model, folder)):
        raise _pull_error(model, reasons)
    notices = tuple(str(reason) for reason in reasons) if missing else ()
    return Pulled(model, folder, source, monotonic() - started, missing, notices)


def _fetch(job: Job, sources: Sequence[Source]) -> tuple[str | None, list[SourceError]]:
    """The last source that delivered anything, and why others did not deliver."""
    delivered: str | None = None
    reasons: list[SourceError] = []
    missing = job.missing()  # none if another process has fetched them while we waited
    for source in sources:
        if not missing:
            break
        try:
            source.fetch(job)
        except NoSpaceError as error:
            reasons.append(error)
        except SourceError as error:
            reasons.append(SourceError(f"{source.name}: {error}"))
        before, missing = missing, job.missing()
        if len(missing) < len(before):
            delivered = source.name
    return delivered, reasons


@contextmanager
def _locked(model: Model, root: Path, watch: Watch) -> Iterator[Path]:
    """The model's staging folder, ours alone; left-overs of a killed pull are removed."""
    base = root / STAGING_NAME
    staging = base / model.id
    base.mkdir(parents=True, exist_ok=True)
    lock = FileLock(base / f"{model.id}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        watch.notice(f"Another process is fetching {model.id}; waiting for it.")
        try:
            lock.acquire(timeout=LOCK_WAIT_S)
        except Timeout as error:
            raise PullError(
                f"Another process has been fetching {model.id} for an hour. "
                "End it and run: earshot models pull"
            ) from error
    try:
        staging.mkdir(exist_ok=True)
        for left_over in staging.glob(f"{TEMPORARY_PREFIX}*"):
            shutil.rmtree(left_over, ignore_errors=True)
        yield staging
        if not any(staging.iterdir()):
            staging.rmdir()
    finally:
        lock.release()


def _empty(staging: Path) -> None:
    """Parts and packages that a complete model needs no more."""
    for path in staging.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)


def _pull_error(model: Model, reasons: list[SourceError]) -> PullError:
    for reason in reasons:
        if isinstance(reason, NoSpaceError):
            return PullError(str(reason))
    tried = " · ".join(map(str, reasons)) or "no source is set in models.sources"
    return PullError(
        f"Could not fetch {model.id}. Tried {tried}. Check the network and run 'earshot models "
        f"pull {model.id}' again, or set models.local_dir to a folder with its files."
    )


def _disk_error(model: Model, root: Path, error: OSError) -> PullError:
    if error.errno in _DISK_FULL:
        free = shutil.disk_usage(root).free
        return PullError(no_space_line(model, root / model.id, model.size, free))
    return PullError(
        f"Cannot write {model.id} to {error.filename or root}: {error.strerror or error}. "
        "Set models.dir to a folder you may write to."
    )
