"""The space bar as a talk key. A terminal does not tell when a key is let go: it is a switch."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

READY = "Press the space bar, talk, and press it again when you are done. Ctrl-C says goodbye."
NO_TERMINAL = "push_to_talk needs a terminal for the talk key: run this in one, or use earshot web"


class TalkKey:
    """Each blank among the bytes read turns the key over; ``turn`` is told."""

    def __init__(self, turn: Callable[[bool], None]) -> None:
        self.down = False
        self._turn = turn

    def take(self, typed: bytes) -> None:
        """What was typed; everything but blanks is ignored."""
        for _ in range(typed.count(b" ")):
            self.down = not self.down
            self._turn(self.down)


@contextmanager
def space_bar(turn: Callable[[bool], None]) -> Iterator[bool]:
    """Watch standard input for the block; False where there is no terminal to watch.

    The terminal neither waits for Enter nor shows what is typed meanwhile; Ctrl-C works.
    """
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        yield False
        return
    import termios
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    key = TalkKey(turn)
    loop = asyncio.get_running_loop()
    tty.setcbreak(file)
    loop.add_reader(file, lambda: key.take(os.read(file, 1_024)))
    try:
        yield True
    finally:
        loop.remove_reader(file)
        termios.tcsetattr(file, termios.TCSADRAIN, before)
