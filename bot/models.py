"""Which models a configuration needs, and fetching them with progress on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.voice import require_packages, voice_models
from speech.models.catalog import CATALOG
from speech.models.job import MB, Watch
from speech.models.pull import Pulled, Source, build_sources, ensure

BAR_WIDTH = 14
"""Leaves a terminal of 80 columns room for the name, the bytes, the speed and the rest."""

TOLD_FROM_BYTES = 5_000_000
"""Half a minute on a slow line."""


def needed_models(settings: Settings, secrets: Secrets) -> list[str]:
    """The ids this configuration loads, in the order of the catalog.

    The embedded language model counts with ``llm: auto`` unless an endpoint or a key says
    that another one is meant: whether a local server runs is only known at the start.
    """
    needed = set(voice_models(settings.tts))
    if settings.stt.kind == "whisper":
        needed.add(settings.stt.model)
    if _may_embed(settings, secrets):
        needed.add(settings.llm.embedded.model)
    known = [model_id for model_id in CATALOG if model_id in needed]
    return known + sorted(name for name in needed.difference(known) if not _is_path(name))


def sources_of(settings: Settings) -> list[Source]:
    """Where ``models.sources`` says that models come from."""
    return build_sources(settings.models.sources, settings.models.local_dir)


def ensure_models(settings: Settings, secrets: Secrets) -> list[Pulled]:
    """Fetch what this configuration needs and has not; returns what was fetched.

    For the start of a command, before its event loop: it blocks, Ctrl-C ends it and what
    has arrived is kept. Raises ``PullError``, or ``UsageError`` for an unknown model id or a
    missing package.
    """
    require_packages(settings.tts)
    with terminal_watch() as watch:
        ids = needed_models(settings, secrets)
        return ensure(ids, sources_of(settings), settings.models.dir, watch)


@contextmanager
def terminal_watch(*, tells: bool = True) -> Iterator[Watch]:
    """A progress bar on standard error where that is a terminal; notices in any case.

    With ``tells``, a line for each long transfer where it is none: minutes without a word in a
    log look like a hang.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=BAR_WIDTH),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    progress = Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=False,  # results belong on standard output, also beside a bar
        redirect_stderr=False,
    )
    with progress:
        yield _TerminalWatch(progress, tells=tells and not console.is_terminal)


@contextmanager
def spinning(text: str) -> Iterator[None]:
    """The text on standard error while some seconds pass, where that is a terminal."""
    console = Console(stderr=True)
    with console.status(text) if console.is_terminal else nullcontext():
        yield


class _TerminalWatch:
    """One bar at a time, or with ``tells`` one line."""

    def __init__(self, progress: Progress, *, tells: bool) -> None:
        self._progress = progress
        self._tells = tells
        self._told: str | None = None
        self._task: TaskID | None = None

    def start(self, label: str, total_bytes: int) -> None:
        """Replace the bar by a new one."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(label, total=total_bytes)
        is_long = total_bytes >= TOLD_FROM_BYTES
        if self._tells and is_long and label != self._told:  # once, also where it begins anew
            self._told = label
            self.notice(f"Fetching {label}, {total_bytes / MB:.0f} MB …")

    def advance(self, done_bytes: int) -> None:
        """Move the bar; back when a download had to begin anew."""
        if self._task is not None:
            self._progress.advance(self._task, done_bytes)

    def notice(self, text: str) -> None:
        """Print the line above the bar."""
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _may_embed(settings: Settings, secrets: Secrets) -> bool:
    if settings.llm.provider != "auto":
        return settings.llm.provider == "embedded"
    return not (settings.llm.base_url or secrets.get("OPENAI_API_KEY"))


def _is_path(name: str) -> bool:
    """A model the user keeps himself: nothing to fetch."""
    return "/" in name or Path(name).exists()
