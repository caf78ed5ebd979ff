"""Guards: logs hold neither secrets nor what people said, whoever writes them."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from loguru import logger

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.logs import blank_speech, set_up_logging
from speech.errors import UsageError

KEY = "sk-test-0123456789abcd"
SPEECH = "my card number is four two"


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Set logging up with these settings, run a function, return what was written."""

    def written(write: Callable[[], object], level: str = "DEBUG", log_text: bool = False) -> str:
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        raw = {"log": {"level": level}, "privacy": {"log_text": log_text}}
        set_up_logging(Settings.model_validate(raw), Secrets.load({"OPENAI_API_KEY": KEY}))
        write()
        return stream.getvalue()

    return written


def pipecat_logs(statement: str) -> Callable[[], object]:
    scope = {"__name__": "pipecat.services.tts_service", "logger": logger, "text": SPEECH}
    return lambda: exec(statement, scope)  # noqa: S102 (a stand-in for pipecat's own module)


def our_logs(statement: str) -> Callable[[], object]:
    scope = {"__name__": "processors.kokoro_tts", "logger": logger, "key": KEY}
    return lambda: exec(statement, scope)  # noqa: S102


@pytest.mark.parametrize(
    "statement",
    [
        'logger.debug(f"Generating TTS [{text}]")',
        'logger.info(f"LLM said {text}")',
        'logger.warning(f"service is no longer usable, not speaking [{text}]")',
        """logger.error(f"exception processing TextFrame#1(pts: 0, text: [{text}]): boom")""",
        'logger.warning(f"Failed to parse function call arguments: {text}")',
        'logger.error(f"Error parsing JSON message {text}, Expecting value: line 1")',
        'logger.warning(f"Unsupported RTVI message type: {text}")',
        """logger.warning(f"Invalid message: input_value='{text}'")""",
        'try:\n    raise ValueError(f"cannot say [{text}]")\n'
        'except ValueError:\n    logger.exception("TTS failed")',
    ],
)
def test_pipecats_lines_hold_no_speech(lines: Callable[..., str], statement: str) -> None:
    assert "card number" not in lines(pipecat_logs(statement))
    assert "card number" in lines(pipecat_logs(statement), log_text=True)


def test_pipecats_warnings_keep_what_is_not_speech(lines: Callable[..., str]) -> None:
    said = lines(pipecat_logs('logger.warning(f"too slow: 3.2 s, dropped [{text}]")'))
    assert "WARNING pipecat.services.tts_service: too slow: 3.2 s, dropped […]" in said


def test_a_repeated_line_of_pipecat_is_written_once(lines: Callable[..., str]) -> None:
    again = "for n in (1, 1, 1, 2, 2): logger.warning(f'nothing heard {n}')"
    assert lines(pipecat_logs(again)).count("nothing heard") == 2
    assert lines(pipecat_logs(again), log_text=True).count("nothing heard") == 5
    assert lines(our_logs(again)).count("nothing heard") == 5


def test_a_visitor_who_leaves_is_no_warning(lines: Callable[..., str]) -> None:
    scope = {"__name__": "pipecat.transports.smallwebrtc.transport", "logger": logger}
    statements = (
        'logger.warning("Timeout: No audio frame received within the specified time.")',
        'logger.warning("Media stream error while reading the audio; clearing track.")',
    )
    for statement in statements:
        assert lines(lambda said=statement: exec(said, scope)) == ""  # noqa: S102
        assert lines(lambda said=statement: exec(said, scope), log_text=True)  # noqa: S102
    assert lines(lambda: exec('logger.warning("no ICE")', scope))  # noqa: S102


def test_our_debug_lines_pass_with_their_fields(lines: Callable[..., str]) -> None:
    said = lines(our_logs('logger.bind(ms=12).debug("unit {} done", "u1")'))
    assert "processors.kokoro_tts: unit u1 done ms=12" in said


def test_secrets_are_cut_out_of_every_line(lines: Callable[..., str]) -> None:
    said = lines(our_logs('logger.bind(auth=key).warning("sent {}", key)'), log_text=True)
    assert KEY not in said
    assert "<OPENAI_API_KEY>" in said


def test_traceback_only_at_debug(lines: Callable[..., str]) -> None:
    fault = our_logs("try:\n    1 / 0\nexcept ZeroDivisionError:\n    logger.exception('failed')")
    assert "Traceback" in lines(fault)
    said = lines(fault, level="WARNING")
    assert "Traceback" not in said
    assert "failed (ZeroDivisionError: division by zero)" in said


def test_library_loggers_arrive_under_their_name(lines: Callable[..., str]) -> None:
    def write() -> None:
        logging.getLogger("httpx").warning("retrying %s", "http://x")
        logging.getLogger("openai").debug("body %s", SPEECH)

    said = lines(write)
    assert "WARNING httpx: retrying http://x" in said
    assert "body" not in said


def test_level_is_kept(lines: Callable[..., str]) -> None:
    assert lines(our_logs('logger.info("hello")'), level="WARNING") == ""


def test_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    settings = Settings.model_validate({"log": {"file": str(tmp_path / "a" / "b.log")}})
    set_up_logging(settings)
    our_logs('logger.warning("to the file")')()
    logger.remove()
    assert "to the file" in (tmp_path / "a" / "b.log").read_text()
    assert capfd.readouterr().err == ""


def test_unwritable_file_is_one_line(tmp_path: Path) -> None:
    settings = Settings.model_validate({"log": {"file": str(tmp_path)}})
    with pytest.raises(UsageError, match=r"log.file: cannot write"):
        set_up_logging(settings)


@pytest.mark.parametrize(
    ("message", "cleaned"),
    [
        ("plain words: 3 s", "plain words: 3 s"),
        ("a [b [c] d] e", "a […] e"),
        ("Error code: 401 - {'error': 'x'}", "Error code: 401 - {…}"),
        ("it's the bot's", "it's the bot's"),
        ("said 'hi there' twice", "said '…' twice"),
        ("arguments: a b c", "arguments: …"),
    ],
)
def test_blank_speech(message: str, cleaned: str) -> None:
    assert blank_speech(message) == cleaned
