"""``earshot models``: fetch, list and verify model files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import click

from bot.commands.common import Invocation, earshot_command
from bot.models import needed_models, sources_of, terminal_watch
from bot.voice import KOKORO, VOICES
from speech.errors import EarshotError, ModelFileError
from speech.models.catalog import CATALOG, Model, find_model
from speech.models.job import MB, Watch
from speech.models.pull import Pulled, pull_model
from speech.models.store import Depth, FileState, check_files, is_usable, models_root

DONE_STATES = ("verified", "installed", "partial")
VOICE_MODELS = (KOKORO, VOICES)
PREPARED_BYTES = 293_000_000
"""About what is read to check it: for a bar."""


@click.group(
    name="models",
    epilog="\b\nExamples:\n  earshot models pull\n  earshot models list\n  earshot models verify",
)
def command() -> None:
    """Fetch, list and verify model files. Nothing is downloaded while the bot runs."""


@earshot_command(
    name="pull",
    short_help="Fetch missing model files, prepare the voice.",
    epilog="Examples:\n  earshot models pull            (what the configuration needs)\n"
    "  earshot models pull whisper-tiny.en\n"
    "  earshot models pull --all --set models.local_dir=/media/stick/models",
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "--all", "everything", is_flag=True,
    help="Every model that the installed packages can load, not only the configured ones.",
)  # fmt: skip
def pull(invocation: Invocation, ids: tuple[str, ...], everything: bool) -> int:
    """Fetch model files that are missing or corrupt, check their SHA-256, prepare the voice."""
    default = (
        [model.id for model in CATALOG.values() if model.loadable]
        if everything
        else needed_models(invocation.settings, invocation.secrets)
    )
    wanted = [find_model(model_id) for model_id in dict.fromkeys(ids or default)]
    records, errors = [], []
    for model in wanted:
        try:
            pulled = _pull(invocation, model)
        except EarshotError as error:  # one line for each that failed, the rest is fetched
            records.append({"id": model.id, "state": "failed", "error": str(error)})
            errors.append(f"earshot: {error}")
            continue
        records.append(_pulled_record(pulled))
        if not invocation.json:
            click.echo(_pulled_line(pulled))
    try:
        _prepare(invocation, records)
    except EarshotError as error:
        errors.append(f"earshot: {error}")
    if invocation.json:
        invocation.emit({"models": records})
    for line in errors:
        click.echo(line, err=True)
    return 1 if errors else 0


@earshot_command(
    name="list", epilog="Examples:\n  earshot models list\n  earshot models list --json"
)
def list_(invocation: Invocation) -> None:
    """Show every model: what for, size, licence, state and path. Reads no file in full."""
    root = models_root(invocation.settings.models.dir)
    needed = needed_models(invocation.settings, invocation.secrets)
    records = [_record(model, root, "stat") for model in CATALOG.values()]
    for record in records:
        record["needed"] = record["id"] in needed
    if invocation.json:
        invocation.emit({"root": str(root), "models": records})
        return
    rows = [("model", "for", "size", "licence", "state", "path")]
    rows += [
        (r["id"], r["purpose"], _megabytes(r["size"]), r["licence"], _state(r), r["path"])
        for r in records
    ]
    _print_columns(rows)


@earshot_command(
    name="verify",
    short_help="Hash the files of all installed models.",
    epilog="Examples:\n  earshot models verify\n  earshot models verify kokoro-82m-int8 --json",
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
def verify(invocation: Invocation, ids: tuple[str, ...]) -> int:
    """Hash the files of all installed models, or of those named, whatever was remembered."""
    root = models_root(invocation.settings.models.dir)
    models = [find_model(model_id) for model_id in ids] or _present(root)
    if not models:
        raise ModelFileError(f"No model is installed in {root}. Run: earshot models pull")
    with terminal_watch(tells=False) as watch:
        records = [_verify(model, root, watch) for model in models]
    if invocation.json:
        invocation.emit({"root": str(root), "models": records})
    else:
        for record in records:
            click.echo(f"{record['id']}: {_state(record)}")
    bad = [line for record in records for line in _faults(record)]
    for line in bad:
        click.echo(f"earshot: {line}", err=True)
    return 1 if bad else 0


for _subcommand in (pull, list_, verify):
    command.add_command(_subcommand)


def _pull(invocation: Invocation, model: Model) -> Pulled:
    root = models_root(invocation.settings.models.dir)
    with terminal_watch() as watch:
        return pull_model(model, sources_of(invocation.settings), root, watch)


def _prepare(invocation: Invocation, records: list[dict[str, Any]]) -> None:
    """Make the voice ready if it was asked for and is there."""
    states = {record["id"]: record for record in records}
    if not any(states.get(name, {}).get("state") in ("pulled", "present") for name in VOICE_MODELS):
        return
    from bot.preparing import prepare_voice  # loads the speech stack

    started = monotonic()
    with terminal_watch() as watch:
        done = prepare_voice(invocation.settings, watch.notice)
    if not done:
        return
    seconds = round(monotonic() - started, 1)
    if KOKORO in states:
        states[KOKORO]["prepared_in_seconds"] = seconds
    if not invocation.json:
        click.echo(f"{KOKORO}: prepared for streaming in {seconds:.0f} s")


def _pulled_record(pulled: Pulled) -> dict[str, Any]:
    model = pulled.model
    return {
        "id": model.id,
        "state": "present" if pulled.source is None else "pulled",
        "source": pulled.source,
        "seconds": round(pulled.seconds, 2),
        "size": model.size,
        "licence": model.licence,
        "upstream": model.upstream,
        "path": str(pulled.folder),
        "missing": list(pulled.missing),
        "notices": list(pulled.notices),
    }


def _pulled_line(pulled: Pulled) -> str:
    model = pulled.model
    what = "already there" if pulled.source is None else f"fetched from {pulled.source}"
    line = f"{model.id}: {what}, {_megabytes(model.size)} ({model.licence}, {model.upstream})"
    if pulled.missing:
        have = len(model.files) - len(pulled.missing)
        line += f"; only {have} of {len(model.files)} files: {'; '.join(pulled.notices)}"
    return line


def _present(root: Path) -> list[Model]:
    """The models of which any file is there."""
    return [m for m in CATALOG.values() if any((root / m.id / f.name).exists() for f in m.files)]


def _verify(model: Model, root: Path, watch: Watch) -> dict[str, Any]:
    watch.start(f"checking {model.id}", model.size)
    return _record(model, root, "all", watch)


def _record(model: Model, root: Path, depth: Depth, watch: Watch | None = None) -> dict[str, Any]:
    folder = root / model.id
    states = check_files(model, folder, depth, watch.advance if watch else None)
    rot = _rot(model, root, watch) if depth == "all" and watch else []
    return {
        "id": model.id,
        "purpose": model.purpose,
        "size": model.size,
        "licence": model.licence,
        "upstream": model.upstream,
        "state": "corrupt" if rot else _summary(model, states),
        "path": str(folder),
        "files": len(states),
        "missing": [name for name, state in states.items() if state == "missing"],
        "corrupt": [*(name for name, state in states.items() if state == "corrupt"), *rot],
        "prepared": _is_prepared(model, root),
    }


def _is_prepared(model: Model, root: Path) -> bool | None:
    """Whether it can stream at once; None for a model that is not prepared at all."""
    if model.id != KOKORO:
        return None
    from bot.preparing import is_prepared  # loads the speech stack

    return is_prepared(model, root)


def _rot(model: Model, root: Path, watch: Watch) -> list[str]:
    """Damaged files of what was prepared of the model, relative to its folder."""
    if model.id != KOKORO:
        return []
    from bot.preparing import rotten

    watch.start(f"checking what was prepared of {model.id}", PREPARED_BYTES)
    return [str(path.relative_to(root / model.id)) for path in rotten(model, root, watch.advance)]


def _summary(model: Model, states: dict[str, FileState]) -> str:
    count = Counter(states.values())
    if count["corrupt"]:
        return "corrupt"
    if count["missing"] == len(states):
        return "missing"
    if count["missing"]:
        return "partial" if is_usable(model, states) else "incomplete"
    return "installed" if count["installed"] else "verified"


def _state(record: dict[str, Any]) -> str:
    if record["state"] in ("partial", "incomplete"):
        have = record["files"] - len(record["missing"])
        return f"{record['state']} ({have} of {record['files']} files)"
    if record["prepared"] is None or record["state"] not in DONE_STATES:
        return str(record["state"])
    return f"{record['state']}, {'prepared' if record['prepared'] else 'not prepared'}"


def _faults(record: dict[str, Any]) -> Iterable[str]:
    """A line for each file that is corrupt, or missing from a model that needs it."""
    advice = f"Run: earshot models pull {record['id']}"
    for name in record["corrupt"]:
        yield f"{Path(record['path'], name)} is corrupt. {advice}"
    if record["state"] not in DONE_STATES:
        for name in record["missing"]:
            yield f"{Path(record['path'], name)} is missing. {advice}"


def _megabytes(size: int) -> str:
    return f"{size / MB:.0f} MB"


def _print_columns(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(padded).rstrip())
