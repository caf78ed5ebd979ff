"""``report.html`` from the files of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from jinja2 import Environment, StrictUndefined
from numpy.typing import NDArray

from bot.report import view
from bot.report.envelope import columns_for, envelope_path
from bot.report.well_formed import well_formed
from speech.errors import EarshotError, UsageError

MIX, TIMELINE, RESULT, REPORT = "mix.wav", "timeline.jsonl", "result.json", "report.html"

_ASSETS = Path(__file__).with_name("assets")
_RULER_STEPS_S = (1, 2, 5, 10, 30, 60)
_MOST_TICKS = 16


def build_report(folder: Path) -> Path:
    """Write ``report.html`` into a run's folder and return its path.

    The page needs nothing from elsewhere; ``mix.wav`` beside it is loaded when played.
    Raises ``UsageError`` for a folder without a run's files, ``EarshotError`` where the
    page cannot be written.
    """
    result = _result(folder / RESULT)
    events = _events(folder / TIMELINE)
    user, bot, duration_s = _sides(folder / MIX)
    page = _render(result, events, user, bot, duration_s)
    target = folder / REPORT
    try:
        target.write_text(well_formed(page), encoding="utf-8")
    except OSError as error:
        raise EarshotError(f"cannot write {target}: {(error.strerror or '').lower()}") from error
    return target


def _render(
    result: dict[str, Any],
    events: list[dict[str, Any]],
    user: NDArray[np.int16],
    bot: NDArray[np.int16],
    duration_s: float,
) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    columns = columns_for(duration_s)
    rows = view.waits(result["turns"], duration_s)
    shown = view.marks(events, duration_s)
    transcript = view.transcript(result)
    return environment.from_string(_asset("page.html")).render(
        result=result,
        style=_asset("style.css"),
        script=_asset("script.js"),
        columns=columns,
        user_path=envelope_path(user, columns),
        bot_path=envelope_path(bot, columns),
        duration_s=duration_s,
        waits=rows,
        segments=view.used_segments(rows),
        marks=shown,
        stages=view.used_stages(shown),
        transcript=transcript,
        struck=any(not heard for line in transcript for _, heard in line.words),
        notes=view.notes(events),
        ticks=_ticks(duration_s),
        slug=view.slug,
        speech_ends=json.dumps([t.get("user_speech_end_s") for t in result["turns"]]),
        mix=MIX,
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _ticks(duration_s: float) -> list[int]:
    step = next((s for s in _RULER_STEPS_S if duration_s / s <= _MOST_TICKS), 120)
    return list(range(0, int(duration_s) + 1, step))


def _result(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{path}: {reason}; give the folder that earshot run wrote") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a result of earshot run ({error})") from error
    if not isinstance(record, dict) or "turns" not in record:
        raise UsageError(f"{path}: not a result of earshot run (no turns)")
    return record


def _events(path: Path) -> list[dict[str, Any]]:
    try:
        # Not splitlines(): JSON leaves U+2028 and the like as they are.
        lines = path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not a timeline of earshot run ({error})") from error


def _sides(path: Path) -> tuple[NDArray[np.int16], NDArray[np.int16], float]:
    try:
        samples, rate_hz = soundfile.read(path, dtype="int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise UsageError(f"{path}: {error.error_string.rstrip('.').lower()}") from error
    right = samples[:, 1] if samples.shape[1] > 1 else samples[:, 0]
    return samples[:, 0], right, len(samples) / rate_hz
