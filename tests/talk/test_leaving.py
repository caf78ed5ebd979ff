"""Guards: Ctrl-C while native code computes ends the process, in one line, with its child."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.leaving import EXIT_INTERRUPTED, closing_in_time, interrupt_leaves

REPOSITORY = Path(__file__).parents[2]
PATIENCE_S = 20.0

LOADING = """
import asyncio, subprocess, sys, time
from bot import cli
from bot.leaving import interrupt_leaves, leave

async def load():
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"],
                             stdin=subprocess.PIPE, stdout=sys.stdout)
    with interrupt_leaves(lambda line: print(line, file=sys.stderr, flush=True)):
        print("loading", flush=True)
        await asyncio.to_thread(time.sleep, 600)

try:
    asyncio.run(load())
except KeyboardInterrupt:
    pass
leave(1)
"""
"""A thread sleeps in C as a model that loads does; the child holds our standard output open."""


CLOSING = """
import asyncio, sys, threading, time
from contextlib import ExitStack
from bot.leaving import closing_in_time, leave

async def talk(over):
    over()
    print("closing", flush=True)
    try:
        threading.Thread(target=time.sleep, args=(600,)).start()
        await asyncio.to_thread(time.sleep, 600)
    finally:
        await asyncio.sleep(600)

with ExitStack() as stack:
    asyncio.run(talk(lambda: stack.enter_context(closing_in_time(3))))
leave(1)
"""
"""A device that hangs in C, and a clean-up that would wait for it."""


@pytest.mark.parametrize("presses", [0, 1, 2])
def test_what_hangs_while_it_closes_does_not_hold_the_process(presses: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CLOSING], cwd=REPOSITORY, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "closing\n"
        for _ in range(presses):
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 3
        assert not said
    finally:
        process.kill()
        process.wait()


def test_what_closes_in_time_leaves_nothing_behind() -> None:
    before, left = signal.getsignal(signal.SIGINT), list[int]()
    with closing_in_time(0, leave=left.append):
        handler = signal.getsignal(signal.SIGINT)
        assert callable(handler)
        handler(signal.SIGINT, None)
    assert left == [0]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.fixture
def loading() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOADING], cwd=REPOSITORY, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("presses", [1, 2])
def test_the_process_and_its_child_end(loading: subprocess.Popen[str], presses: int) -> None:
    for _ in range(presses):
        loading.send_signal(signal.SIGINT)
    # Output ends only when the child, which has it open too, has ended.
    _, said = loading.communicate(timeout=PATIENCE_S)
    assert loading.returncode == EXIT_INTERRUPTED
    assert said == "Stopped.\n"


def test_after_the_block_ctrl_c_means_what_it_did() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupt_leaves(lambda _: None, leave=lambda _: None):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
