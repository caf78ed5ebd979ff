"""The space bar of a terminal is the talk key, and the terminal is as it was afterwards."""

from __future__ import annotations

import asyncio
import os
import pty
import sys
import termios

import pytest

from bot.talk_key import TalkKey, space_bar


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ([b" "], [True]),
        ([b" ", b" "], [True, False]),
        ([b"  "], [True, False]),
        ([b"q\n\x1b[A", b"x y"], [True]),
        ([b""], []),
    ],
)
def test_each_blank_turns_it_over(typed: list[bytes], told: list[bool]) -> None:
    heard: list[bool] = []
    key = TalkKey(heard.append)
    for some in typed:
        key.take(some)
    assert heard == told


async def test_a_terminal_is_watched_and_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = termios.tcgetattr(terminal)
        heard: asyncio.Queue[bool] = asyncio.Queue()
        with space_bar(heard.put_nowait) as watched:
            assert watched
            os.write(keyboard, b" ")
            async with asyncio.timeout(10):
                assert await heard.get()
            os.write(keyboard, b" ")
            async with asyncio.timeout(10):
                assert not await heard.get()
        assert termios.tcgetattr(terminal) == before
    os.close(keyboard)


async def test_without_a_terminal_there_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with space_bar(print) as watched:
            assert not watched
    os.close(writer)
