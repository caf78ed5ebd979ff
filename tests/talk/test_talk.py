"""Guards: ``earshot talk`` on a sound card greets, hears, answers, says goodbye on Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.soundcard.virtual_card import VirtualCard
from speech.errors import EarshotError
from speech.models.store import model_dir
from tests.speech_assets import ASTERISK
from tests.support import require

REPOSITORY = Path(__file__).parents[2]
NEEDED = ("kokoro-82m-int8", "kokoro-voices", "whisper-tiny.en", "smollm2-135m-instruct")
QUESTION = ASTERISK / "vm-enter-num-to-call.wav"
"""A human voice: "Please enter the number you wish to call." """

pytestmark = [pytest.mark.soundcard, pytest.mark.models, pytest.mark.e2e]


def missing_models() -> list[str]:
    missing = []
    for name in NEEDED:
        try:
            model_dir(name)
        except EarshotError:
            missing.append(name)
    return missing


class Talk:
    """A running ``earshot talk --json`` and the events it has printed."""

    def __init__(self, card: VirtualCard, folder: Path, *words: str) -> None:
        self._seen: list[dict[str, Any]] = []
        self._news = threading.Condition()
        self._errors = (folder / "stderr").open("w+")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bot", "talk", "--json", "--no-page", *words],
            cwd=folder, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            env=card.env | {"PYTHONPATH": str(REPOSITORY), "EARSHOT_LLM": "embedded"},
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, name: str, count: int = 1, timeout_s: float = 90) -> list[dict[str, Any]]:
        """The events of this name once there are ``count``; fails where the command ended."""
        with self._news:
            self._news.wait_for(
                lambda: len(self.named(name)) >= count or self._ended, timeout=timeout_s
            )
            found = self.named(name)
        assert len(found) >= count, f"{name} x{len(found)}; {self.errors()}; {self._seen}"
        return found

    def wait_for_line(self, text: str, timeout_s: float = 60) -> None:
        """Return once standard error holds ``text``; before that Python itself is loading."""
        tick, deadline = threading.Event(), time.monotonic() + timeout_s
        while text not in self.errors():
            assert time.monotonic() < deadline, self.errors()
            tick.wait(0.02)

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self._seen if event["name"] == name]

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self, timeout_s: float = 30) -> int:
        """Wait for the command's end; its exit code."""
        code = self.process.wait(timeout_s)
        self._reader.join(timeout_s)
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._errors.close()

    def errors(self) -> str:
        self._errors.flush()
        return Path(self._errors.name).read_text()

    _ended = False

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self._seen.append(json.loads(line))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()


@pytest.fixture
def talk(virtual_card: VirtualCard, tmp_path: Path) -> Iterator[Talk]:
    require(not missing_models(), f"models: {missing_models()}")
    require(QUESTION.exists(), "asterisk-core-sounds-en-wav")
    running = Talk(virtual_card, tmp_path)
    yield running
    running.close()


def children(process: subprocess.Popen[str]) -> list[int]:
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def test_a_spoken_conversation_that_no_child_outlives(
    talk: Talk, virtual_card: VirtualCard
) -> None:
    talk.wait_for("bot_stopped")
    pids = children(talk.process)
    assert pids, "the embedded model is a process of its own"
    assert "I am Earshot" in " ".join(event["text"] for event in talk.named("bot_text"))
    virtual_card.play(QUESTION)
    heard = talk.wait_for("user_text")[0]["text"].lower()
    assert "number" in heard
    assert "call" in heard
    talk.wait_for("bot_started", 2)
    for stage in ("user_speech_end", "stt_final", "llm_first_token", "first_chunk", "scheduled"):
        assert talk.named(stage), stage
    talk.interrupt()
    assert talk.end() == 0, talk.errors()
    heard = "".join(event["text"] for event in talk.named("heard_text"))
    assert heard.rstrip().endswith("Goodbye.")  # its last silence may be cut
    assert talk.named("session_end")
    assert "Traceback" not in talk.errors()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_second_interrupt_ends_at_once(talk: Talk) -> None:
    talk.wait_for("bot_started")
    talk.interrupt()
    talk.interrupt()
    assert talk.end() == 0, talk.errors()


def test_terminate_ends_with_the_goodbye(talk: Talk) -> None:
    talk.wait_for("bot_started")
    talk.process.terminate()
    assert talk.end() == 0, talk.errors()
    assert "Goodbye." in talk.named("bot_text")[-1]["text"]


def test_interrupt_while_loading(talk: Talk) -> None:
    talk.wait_for_line("Loading the voice")
    talk.interrupt()
    assert talk.end() == 130
    assert "Stopped." in talk.errors()
    assert "Traceback" not in talk.errors()
