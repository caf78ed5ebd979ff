"""The embedded model: a child process that is started, watched, restarted and ended."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_urlsafe

import httpx
from loguru import logger

from bot.llm.embedded_server import KEY_VARIABLE
from speech.errors import EarshotError

START_TIMEOUT_S = 60.0
"""Loading takes 0.7 s when the file is in the page cache; a slow disk needs its time."""

HEALTH_TIMEOUT_S = 2.0
END_TIMEOUT_S = 2.0
RESTART_WINDOW_S = 60.0
"""A server that dies twice within it is broken, not unlucky; it is not started a third time."""

LOG_LINES_KEPT = 10
MAX_LINE_BYTES = 1 << 16


def command(model: Path, *, threads: int, context_tokens: int) -> list[str]:
    """How the child is started."""
    child = [sys.executable, "-P", str(Path(__file__).with_name("embedded_server.py")), str(model)]
    return [*child, f"--threads={threads}", f"--context-tokens={context_tokens}"]


class EmbeddedServer:
    """One child process, shared by all conversations.

    ``ready`` gives its URL, which changes when it had to be started again. The child holds
    the read end of a pipe from us and ends when that closes, so it does not outlive us even
    after ``kill -9``. Ctrl-C in the terminal does not reach it: it is ours to end.
    """

    def __init__(self, argv: Sequence[str], *, clock: Callable[[], float] = time.monotonic) -> None:
        self.api_key = token_urlsafe(16)
        self._argv = list(argv)
        self._clock = clock
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._log_task: asyncio.Task[None] | None = None
        self._last_lines: deque[str] = deque(maxlen=LOG_LINES_KEPT)
        self._base_url = ""
        self._suspected = False
        self._restarted_at: float | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it is known."""
        return self._process.pid if self._process else None

    def suspect(self) -> None:
        """Check its health before the next request, and start it again if it has none."""
        self._suspected = True

    async def ready(self) -> str:
        """The URL of a server that answers; starts or restarts it where needed.

        Raises ``EarshotError`` if it does not start, or has died twice in a row.
        """
        async with self._lock:
            if self._process is None:
                await self._start()
            elif not await self._alive():
                self._allow_restart()
                await self._stop()
                await self._start()
            self._suspected = False
            return self._base_url

    async def _alive(self) -> bool:
        if self._process is None or self._process.returncode is not None:
            return False
        return not self._suspected or await self._healthy()

    def _allow_restart(self) -> None:
        now = self._clock()
        if self._restarted_at is not None and now - self._restarted_at < RESTART_WINDOW_S:
            raise EarshotError(f"the embedded LLM died again: {self._last_words()}")
        self._restarted_at = now
        logger.warning("the embedded LLM died: starting it again")

    async def _start(self) -> None:
        if self._closed:
            raise EarshotError("the embedded LLM has been shut down")
        process = await asyncio.create_subprocess_exec(
            *self._argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=MAX_LINE_BYTES,
            start_new_session=True,
            env=os.environ | {KEY_VARIABLE: self.api_key},
        )
        self._process = process
        self._log_task = asyncio.create_task(self._keep_log(_piped(process.stderr)))
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                self._base_url = await self._announced(_piped(process.stdout))
                if not await self._healthy():
                    raise EarshotError(f"the embedded LLM is not well: {self._last_words()}")
        except TimeoutError as error:
            await self._stop()
            late = f"the embedded LLM did not start within {START_TIMEOUT_S:.0f} s"
            raise EarshotError(f"{late}: {self._last_words()}") from error
        except BaseException:  # also cancellation: no child without an owner
            await self._stop()
            raise

    async def _announced(self, stdout: asyncio.StreamReader) -> str:
        line = await stdout.readline()
        if not line:
            await self._finish_log()
            raise EarshotError(f"the embedded LLM did not start: {self._last_words()}")
        return str(json.loads(line)["base_url"])

    async def _healthy(self) -> bool:
        url = self._base_url.removesuffix("/v1") + "/health"
        try:
            async with httpx.AsyncClient(timeout=HEALTH_TIMEOUT_S, trust_env=False) as client:
                return (await client.get(url)).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    async def prewarm(self, model: str, system_prompt: str) -> None:
        """Evaluate the system prompt once, so that the first answer need not (0.6 s on a core).

        A failure is logged and left to the first request.
        """
        body = {
            "model": model,
            "messages": [{"role": "system", "content": system_prompt}],
            "max_tokens": 1,
        }
        url = f"{self._base_url}/chat/completions"
        headers = {"Authorization": f"Bearer {self.api_key}"}
        try:
            async with httpx.AsyncClient(timeout=START_TIMEOUT_S, trust_env=False) as client:
                await client.post(url, json=body, headers=headers)
        except httpx.HTTPError as error:
            logger.warning("the embedded LLM could not be warmed ({})", type(error).__name__)

    async def _keep_log(self, stderr: asyncio.StreamReader) -> None:
        """Into our log, line by line; the terminal is for the conversation."""
        while True:
            try:
                line = await stderr.readline()
            except ValueError:  # longer than MAX_LINE_BYTES: dropped by the reader
                continue
            if not line:
                return
            text = line.decode(errors="replace").rstrip()
            self._last_lines.append(text)
            logger.debug("embedded LLM: {}", text)

    def _last_words(self) -> str:
        return self._last_lines[-1] if self._last_lines else "it left no message"

    async def _finish_log(self) -> None:
        if self._log_task is not None:
            await asyncio.wait([self._log_task], timeout=END_TIMEOUT_S)

    async def _stop(self) -> None:
        """Close its pipe, wait, and kill it if it does not go."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            logger.warning("the embedded LLM did not end by itself: killing it")
            process.kill()
            await process.wait()
        await self._finish_log()
        if self._log_task is not None:
            self._log_task.cancel()

    async def aclose(self) -> None:
        """End the child; within ``END_TIMEOUT_S``. Idempotent."""
        async with self._lock:
            self._closed = True
            await self._stop()


def _piped(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if stream is None:
        raise RuntimeError("the child was started without pipes")
    return stream
