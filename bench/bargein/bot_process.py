"""The bot's process as the benchmark sees it: what it said, did and cost."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from bench.bargein.align import Samples
from bench.bargein.heard import Spoken
from bot.config.schema import Settings
from speech.errors import EarshotError

START_TIMEOUT_S = 120.0
ANSWER_TIMEOUT_S = 10.0
END_TIMEOUT_S = 10.0
_LONGEST_LINE = 1 << 24
_REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Mark:
    """A timeline event; ``at`` on ``time.monotonic``."""

    name: str
    at: float
    reply: str | None
    fields: Mapping[str, Any]


@dataclass
class Reference:
    """What the voice handed on of one reply, in order."""

    pieces: list[Samples] = field(default_factory=list)
    words: list[Spoken] = field(default_factory=list)
    rate_hz: int = 24_000
    length: int = 0

    @property
    def samples(self) -> Samples:
        return np.concatenate(self.pieces) if self.pieces else np.zeros(0, np.int16)


class BotProcess:
    """Reads the child's lines; ``marks`` and ``replies`` grow meanwhile."""

    def __init__(
        self, process: asyncio.subprocess.Process, errors: IO[str], voice_pid: int | None = None
    ) -> None:
        """``voice_pid``: the process that computes the voice, where that is another one."""
        self.marks: list[Mark] = []
        self.replies: dict[str, Reference] = {}
        self.devices: list[str] = []
        self.stats: dict[str, int] = {}
        self._process = process
        self._errors = errors
        self._news = asyncio.Event()
        self._ready = False
        self._messages: list[Any] | None = None
        # Linux: the clock of another process's processor time, in nanoseconds. The kernel's
        # own encoding of a clock's number, since Python offers it for threads only.
        pids = [process.pid] if voice_pid is None else [process.pid, voice_pid]
        self._clock_ids = [(~pid << 3) | 2 for pid in pids]

    @property
    def now(self) -> int:
        """How many marks there are: a place to look on from."""
        return len(self.marks)

    def cpu_s(self) -> float:
        """Processor time of all its threads so far, and of the voice's process."""
        return sum(time.clock_gettime(clock_id) for clock_id in self._clock_ids)

    def named(self, name: str, since: int = 0) -> list[Mark]:
        return [mark for mark in self.marks[since:] if mark.name == name]

    async def first(self, name: str, since: int, timeout_s: float) -> Mark | None:
        """The first mark of this name after ``since`` marks; None when none came in time."""
        with suppress(TimeoutError):
            await self.until(lambda: bool(self.named(name, since)), timeout_s)
        return next(iter(self.named(name, since)), None)

    async def until(self, condition: Callable[[], bool], timeout_s: float) -> None:
        """Wait for a condition on what was read; raises ``TimeoutError``."""
        async with asyncio.timeout(timeout_s):
            while not condition():
                if self._process.returncode is not None:
                    raise EarshotError(f"the bot under test ended: {self._last_error()}")
                self._news.clear()
                await self._news.wait()

    async def do(self, what: str, **fields: str) -> None:
        """Ask it for something."""
        await self._send({"do": what, **fields})

    async def messages(self) -> list[Any]:
        """The conversation's context now."""
        self._messages = None
        await self.do("messages")
        await self.until(lambda: self._messages is not None, ANSWER_TIMEOUT_S)
        return self._messages or []

    async def figures(self) -> dict[str, int]:
        """The transport's counters now."""
        self.stats = {}
        await self.do("stats")
        await self.until(lambda: bool(self.stats), ANSWER_TIMEOUT_S)
        return self.stats

    async def begin(self, settings: Settings) -> None:
        """Send the settings and wait until it talks."""
        assert self._process.stdin is not None
        self._process.stdin.write(settings.model_dump_json().encode() + b"\n")
        await self._process.stdin.drain()
        await self.until(lambda: self._ready and bool(self.named("session_start")), START_TIMEOUT_S)

    async def read(self) -> None:
        """Until its output ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._take(json.loads(line))
            self._news.set()
        await self._process.wait()
        self._news.set()

    async def end(self) -> None:
        """Let it go; a hung one is killed."""
        with suppress(ConnectionError, RuntimeError):
            await self.do("end")
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _send(self, line: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        await self._process.stdin.drain()

    def _take(self, line: dict[str, Any]) -> None:
        if "name" in line:
            self.marks.append(Mark(line["name"], line["at"], line["reply"], line["fields"]))
        elif "audio" in line:
            piece = np.frombuffer(base64.b64decode(line["audio"]), np.int16)
            reply = self.replies.setdefault(line["reply"], Reference(rate_hz=line["rate_hz"]))
            reply.pieces.append(piece)
            reply.length += len(piece)
        elif "text" in line:
            reply = self.replies.setdefault(line["reply"], Reference())
            reply.words.append(Spoken(line["text"], reply.length))
        elif "messages" in line:
            self._messages = line["messages"]
        elif "stats" in line:
            self.stats = line["stats"]
        elif "ready" in line:
            self._ready, self.devices = True, line["ready"]

    def _last_error(self) -> str:
        self._errors.flush()
        lines = Path(self._errors.name).read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "without a word"


@asynccontextmanager
async def open_bot(
    settings: Settings, env: Mapping[str, str], folder: Path, voice_pid: int | None = None
) -> AsyncIterator[BotProcess]:
    """The bot, talking on the card of ``env``; its log is in ``folder``."""
    with (folder / "bot.log").open("w+") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.bargein.bot_child",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
            env={**env, "PYTHONPATH": str(_REPOSITORY)}, limit=_LONGEST_LINE,
        )  # fmt: skip
        bot = BotProcess(process, errors, voice_pid)
        reading = asyncio.create_task(bot.read())
        try:
            await bot.begin(settings)
            yield bot
        finally:
            await bot.end()
            await reading
