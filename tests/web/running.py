"""A bot server under test: started as its command does, stopped as Ctrl-C does."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.llm.recording import Reply
from bot.llm.replay import MODEL, ReplayServer
from speech.audio.wav import read_wav
from speech.errors import EarshotError
from speech.hearing.whisper import WhisperRecogniser
from speech.models.store import model_dir
from tests.support import require

START_S = 120.0
"""Loading three models on a busy two-core machine."""

STOP_S = 10.0

PROMPTS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
MODELS = ("kokoro-82m-int8", "kokoro-voices", "whisper-tiny.en")

Serve = Callable[..., Awaitable[None]]


@dataclass
class Running:
    """``url`` answers; ``lines`` are what the user was told; ``task`` ends with the server."""

    url: str
    lines: list[str]
    task: asyncio.Task[None]
    llm: ReplayServer

    @property
    def asked(self) -> list[str]:
        """What the model was asked: the last user message of each request, in lower case."""
        users = [
            [m["content"] for m in request["messages"] if m["role"] == "user"]
            for request in self.llm.requests
        ]
        return [messages[-1].lower() for messages in users if messages]

    async def interrupt(self) -> None:
        """Ctrl-C, and wait for the end."""
        os.kill(os.getpid(), signal.SIGINT)
        async with asyncio.timeout(STOP_S):
            await asyncio.wait({self.task})
        await self.task


def require_bot(*programs: str) -> None:
    """Skip (in CI: fail) without models, human speech or these programs."""
    for name in MODELS:
        try:
            model_dir(name)
        except EarshotError as error:
            require(False, str(error))
    require(PROMPTS.is_dir(), "human prompts: apt install asterisk-core-sounds-en-wav")
    for program in programs:
        require(shutil.which(program), f"{program}: apt install {program}")


def prompt(name: str) -> tuple[NDArray[np.int16], int]:
    """A human prompt and its rate."""
    return read_wav(PROMPTS / f"{name}.wav")


def reply(text: str, *, to: str | None = None) -> Reply:
    """A recorded completion: a word every 30 ms after 250 ms."""
    words = text.split()
    pieces = [word + " " for word in words[:-1]] + words[-1:]
    chunks = tuple((0.25 + 0.03 * n, piece) for n, piece in enumerate(pieces))
    return Reply(chunks, prompt_contains=to)


@asynccontextmanager
async def running(
    serve: Serve,
    replies: Sequence[Reply],
    secrets: dict[str, str] | None = None,
    **sections: Any,
) -> AsyncIterator[Running]:
    """``serve`` with these sections of the configuration and a model that gives ``replies``."""
    async with ReplayServer(replies) as llm:
        endpoint = {"provider": "openai", "base_url": llm.base_url, "model": MODEL}
        settings = Settings.model_validate({"llm": endpoint, **sections})
        lines: list[str] = []
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(
            serve(settings, Secrets(secrets or {}), notify=lines.append, on_ready=ready.set_result)
        )
        try:
            either: set[asyncio.Future[Any]] = {task, ready}
            await asyncio.wait(either, timeout=START_S, return_when="FIRST_COMPLETED")
            if task.done():
                await task
            yield Running(ready.result(), lines, task, llm)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def listener() -> AsyncIterator[Callable[[NDArray[np.int16], int], Awaitable[str]]]:
    """A function that writes down speech, in lower case: the ear of a test."""
    recogniser = WhisperRecogniser(model_dir("whisper-tiny.en"), timeout_s=120)
    await recogniser.start()

    async def words(samples: NDArray[np.int16], rate_hz: int) -> str:
        return (await recogniser.transcribe(samples, rate_hz)).text.lower()

    try:
        yield words
    finally:
        await recogniser.aclose()
