"""The files of a run: ``mix.wav``, ``timeline.jsonl``, ``result.json``, ``report.html``."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from bot.report.build import MIX, REPORT, RESULT, TIMELINE, build_report
from bot.report.well_formed import well_formed
from bot.scenario.result import Result
from speech.audio.wav import write_wav
from speech.errors import EarshotError, UsageError
from speech.text_clean import json_text
from speech.timeline import TimelineEvent
from transports.script.recording import Recording


def prepare_folder(out_dir: Path) -> None:
    """Make the folder and clear it of an earlier run's files, which would pass for this one's.

    Raises ``UsageError`` before a run whose result could not be kept.
    """
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        probe = out_dir / ".earshot-run"
        probe.touch()
        probe.unlink()
        for name in (MIX, TIMELINE, RESULT, REPORT):
            (out_dir / name).unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"--out {out_dir}: {reason}; choose another folder") from error


def write_outputs(
    out_dir: Path, result: Result, recording: Recording, events: Sequence[TimelineEvent]
) -> Result:
    """Write the run into ``out_dir`` and return the result with its file names.

    Raises ``EarshotError`` where the folder cannot be written.
    """
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        write_wav(out_dir / MIX, recording.stereo(), recording.bot.rate_hz)
        lines = [event.to_json(recording.origin) for event in events]
        _write(out_dir / TIMELINE, "\n".join(lines))
        names = {"mix": MIX, "timeline": TIMELINE, "result": RESULT, "report": REPORT}
        files = {name: str(out_dir / file) for name, file in names.items()}
        result = dataclasses.replace(result, files=files)
        record = json_text(result.to_json(), indent=2)
        _write(out_dir / RESULT, record)
    except OSError as error:
        reason = error.strerror or str(error)
        raise EarshotError(f"cannot write {out_dir}: {reason.lower()}") from error
    build_report(out_dir)
    return result


def _write(path: Path, text: str) -> None:
    path.write_text(well_formed(text) + "\n", encoding="utf-8")
