"""Logging: where to, how much, and never what people said unless they allow it.

Loguru is pipecat's logger, so it is ours; the standard library's loggers are routed to it.
Our own messages are static and hold no speech. Those of other packages are not: pipecat
writes transcripts and prompts at DEBUG, and frames (with their text) in some errors. So
without ``privacy.log_text`` the others are heard from WARNING up only, with everything in
brackets or quotes blanked and tracebacks dropped.
"""

from __future__ import annotations

import logging
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loguru import logger

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from speech.errors import UsageError

if TYPE_CHECKING:
    from loguru import Record

OUR_PACKAGES = frozenset({"bot", "processors", "transports", "server", "speech", "bench"})

_LINE = "{time:HH:mm:ss.SSS} {level: <7} {name}: {message}"
_WARNING = 30
_PYTHON_WARNINGS = "py.warnings"
"""Deprecations in the packages we use: for us, with ``privacy.log_text``, not for users."""

_ERROR_TWICE = frozenset({"pipecat.processors.frame_processor", "pipecat.pipeline.worker"})
"""They tell of an error frame once each; the conversation does it in one readable line."""

_GOODBYES = {
    "pipecat.transports.smallwebrtc.transport": (
        "Timeout: No audio frame received",
        "Media stream error while reading",
    )
}
"""What pipecat warns of, by module, when a visitor closes the page: that is how calls end."""

_QUOTED = re.compile(r"\[.*\]|\{.*\}|\(.*\)|(?<!\w)'.*'(?!\w)|\".*\"", re.DOTALL)
_NAMED_TEXT = re.compile(
    r"\b(text|content|arguments|transcript|message(?: type)?)\s*[:=].*|\b(JSON message) .*",
    re.I | re.DOTALL,
)

REPEAT_S = 60.0
"""Another package's line that comes again within this time is not written again."""


def set_up_logging(settings: Settings, secrets: Secrets | None = None) -> None:
    """Send logs to ``log.file``, else standard error, at ``log.level``; replaces what was set.

    Raises ``UsageError`` when the file cannot be written.
    """
    gate = _Gate(settings, secrets or Secrets())
    logger.remove()
    # diagnose would print the values of variables, speech among them
    logger.add(
        _sink(settings.log.file),
        level=settings.log.level,
        filter=gate.admit,
        format=_format,
        backtrace=False,
        diagnose=False,
    )
    logging.captureWarnings(True)
    logging.basicConfig(handlers=[_ToLoguru()], level=settings.log.level, force=True)


def blank_speech(message: str) -> str:
    """``message`` of another package without what may be speech: brackets, quotes, texts."""
    blanked = _QUOTED.sub(lambda found: f"{found[0][0]}…{found[0][-1]}", message)
    return _NAMED_TEXT.sub(lambda found: f"{found[1] or found[2]}: …", blanked)


class _Gate:
    """Decides which records are written, and cleans them."""

    def __init__(self, settings: Settings, secrets: Secrets) -> None:
        self._log_text = settings.privacy.log_text
        self._tracebacks = settings.log.level == "DEBUG"
        self._secrets = secrets
        self._told: dict[tuple[str | None, int], tuple[str, float]] = {}

    def admit(self, record: Record) -> bool:
        """Loguru's filter; it is the first to see a record, so it also cleans it."""
        if self._log_text:
            self._redact(record)
            return True
        ours = is_ours(record["name"] or "")
        if record["name"] in _ERROR_TWICE and record["level"].no >= _WARNING:
            return False
        if record["message"].startswith(_GOODBYES.get(record["name"] or "", ())):
            return False
        if not ours and (record["level"].no < _WARNING or record["name"] == _PYTHON_WARNINGS):
            return False
        if not ours:
            record["message"] = " ".join(blank_speech(record["message"]).split())
        if not (ours and self._tracebacks):
            _shorten_exception(record)
        self._redact(record)
        return ours or not self._is_repeat(record)

    def _is_repeat(self, record: Record) -> bool:
        """Whether the last line of the same place in the code was this one, a moment ago.

        pipecat warns every two seconds of a browser that is gone; a stranger's junk, with
        what may be speech blanked, is the same line each time.
        """
        place = (record["name"], record["line"])
        now = record["elapsed"].total_seconds()
        said, at = self._told.get(place, ("", -REPEAT_S))
        if said == record["message"] and now - at < REPEAT_S:
            return True
        self._told[place] = (record["message"], now)
        return False

    def _redact(self, record: Record) -> None:
        record["message"] = self._secrets.redact(record["message"])
        for name, value in record["extra"].items():
            if isinstance(value, str):
                record["extra"][name] = self._secrets.redact(value)


def _shorten_exception(record: Record) -> None:
    """Its kind and cleaned message in place of the traceback."""
    error = record["exception"]
    if error is not None and error.type is not None:
        said = blank_speech(str(error.value))
        record["message"] += f" ({error.type.__name__}: {said})"
    record["exception"] = None


class _ToLoguru(logging.Handler):
    """Passes a standard library record on, under the name of the module that wrote it."""

    def emit(self, record: logging.LogRecord) -> None:
        def renamed(entry: Record) -> None:
            entry["name"] = record.name

        target = logger.patch(renamed).opt(exception=record.exc_info)
        target.log(_loguru_level(record), "{}", record.getMessage())


def _loguru_level(record: logging.LogRecord) -> str | int:
    return record.levelname if record.levelname in _LEVELS else record.levelno


_LEVELS = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})


def is_ours(module: str) -> bool:
    """Whether a module's messages are static and hold no speech."""
    return module.partition(".")[0] in OUR_PACKAGES


def _format(record: Record) -> str:
    fields = "".join(f" {name}={{extra[{name}]}}" for name in record["extra"])
    return f"{_LINE}{fields}\n{{exception}}"


def _sink(file: Path | None) -> Any:
    if file is None:
        # looked up at each line: a live view on the terminal replaces sys.stderr
        return lambda line: sys.stderr.write(line)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise UsageError(f"log.file: cannot write {file}: {error.strerror}") from error
