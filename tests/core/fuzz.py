"""Random conversations, and what must be true of every one of them.

``python -m tests.core.fuzz FIRST COUNT`` plays as many, eight at a time, and says what failed.
"""

from __future__ import annotations

import asyncio
import random
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from loguru import logger
from pipecat.frames.frames import InterruptionFrame

from bot import hearing
from tests.core.voices import Talk, check_messages, fake_vad, talk
from tests.llm.fake_server import EMPTY, Break, FakeReply, Pause, call, finish, says, text

LONG = " ".join(f"long{n}" for n in range(12)) + ". " + " ".join(f"tail{n}" for n in range(8)) + "."
TOOLS = (
    "tests.core.waiting_tool:nap",
    "tests.core.waiting_tool:thread_nap",
)
LAST = says("Done now.")


def _calls(*names: str, lead_in: str = "") -> FakeReply:
    pieces = [call(name, "{}", n, f"c{n}-{random.random()}") for n, name in enumerate(names)]
    said = [text(lead_in)] if lead_in else []
    return FakeReply([*said, *pieces, finish("tool_calls")])


def _replies(dice: random.Random) -> list[FakeReply]:
    makers: list[Callable[[], FakeReply]] = [
        lambda: says("Yes it is."),
        lambda: says(LONG),
        lambda: says(LONG),
        lambda: says("Do you want more? "),
        lambda: FakeReply([Pause(0.4), text(LONG), finish()]),
        lambda: FakeReply([text("first part. "), Pause(0.5), text("second part."), finish()]),
        lambda: _calls("nap"),
        lambda: _calls("thread_nap"),
        lambda: _calls("nap", "thread_nap"),
        lambda: _calls("nap"),
        lambda: _calls("nap", lead_in="Let me look that up for you. "),
        lambda: EMPTY,
        lambda: FakeReply(status=500),
        lambda: FakeReply([text("it breaks "), Break()]),
        lambda: says("this FAIL is not said. That is."),
        lambda: says("FAIL."),
        lambda: says("...", "!"),
    ]
    return [dice.choice(makers)() for _ in range(dice.randint(1, 6))]


REAL = ["Stop.", "And what is the price?", "No, wait, tell me more.", "Thanks."]
SOUNDS = [("", 0.1), ("", 0.25), ("", 0.5), ("", 1.1), ("mm-hm", 0.35), ("okay", 0.4)]


class Play:
    """One random conversation."""

    def __init__(self, t: Talk, dice: random.Random) -> None:
        self.t, self.dice = t, dice
        self.real: list[str] = []
        self.script: list[str] = []

    @property
    def spoilt(self) -> bool:
        """pipecat loses what may not be interrupted where an explicit interruption meets it."""
        return {"law", "interrupt"} <= set(self.script)

    async def run(self) -> None:
        scene, dice = self.t.scene, self.dice
        self.t.recogniser.delay_s = dice.choice([0.0, 0.05, 0.3, 0.6])
        await scene.until_event("session_start")
        await self._speaks("Hello you.", 0.5)
        acts: list[Callable[[], Awaitable[None]]] = [
            self._real, self._real, self._sound, self._sound, self._sound, self._notice,
            self._law, self._interrupt, self._twice, self._slow_voice,
        ]  # fmt: skip
        for _ in range(dice.randint(2, 6)):
            await asyncio.sleep(dice.choice([0.0, 0.01, 0.05, 0.2, 0.5, 1.0]))
            await dice.choice(acts)()

    async def _speaks(self, what: str, seconds: float) -> None:
        self.script.append(f"{what!r} {seconds}")
        self.real.append(what)
        await self.t.utter(what, seconds)

    async def _real(self) -> None:
        await self._speaks(self.dice.choice(REAL), self.dice.choice([0.4, 0.9]))

    async def _sound(self) -> None:
        what, seconds = self.dice.choice(SOUNDS)
        self.script.append(f"{what!r} {seconds}")
        await self.t.utter(what, seconds)

    async def _notice(self) -> None:
        self.script.append("notice")
        await self.t.scene.conversation.say("This is a notice of some words.")

    async def _law(self) -> None:
        self.script.append("law")
        await self.t.scene.conversation.say("This is the law.", interruptible=False)

    async def _interrupt(self) -> None:
        self.script.append("interrupt")
        await self.t.scene.conversation.worker.queue_frame(InterruptionFrame())

    async def _twice(self) -> None:
        await self._interrupt()
        await asyncio.sleep(0.04)
        await self._interrupt()

    async def _slow_voice(self) -> None:
        self.script.append("slow voice")
        gate = self.t.scene.engine.gate
        gate.clear()
        asyncio.get_running_loop().call_later(self.dice.choice([0.1, 0.6]), gate.set)


QUIET_S = 1.8
"""Nothing happens for so long only where nothing more will: an answer is asked for again after
1.5 s."""


async def settled(t: Talk) -> None:
    """Until nothing has happened for a while."""
    async with asyncio.timeout(20):
        while True:
            count = len(t.scene.timeline.events)
            await asyncio.sleep(QUIET_S)
            if len(t.scene.timeline.events) == count and t.scene.engine.gate.is_set():
                return


def check(t: Talk, play: Play) -> None:
    """What is true whenever everything is over."""
    assert t.live == [] or play.spoilt, f"live for ever: {t.live}"
    assert t.control._policy.ducked is None
    assert not t.held
    check_messages(t.messages)
    said = " ".join(str(m["content"]) for m in t.messages if m["role"] == "user")
    at = 0
    for words in play.real:
        found = said.find(words, at)
        assert found >= 0, f"lost: {words!r} of {play.real} in {said!r}"
        at = found + len(words)
    heard = [e for e in t.scene.named("heard_text") if e.fields.get("filler") != "preamble"]
    words = sorted("".join(str(e.fields["text"]) for e in heard).split())
    kept = sorted(
        word for m in t.messages if m["role"] == "assistant"
        for word in str(m.get("content") or "").split()
    )  # fmt: skip
    if not play.spoilt:
        assert words == kept, f"heard {words} kept {kept}"
    assert t.sounded_after_a_cut == []


async def converse(seed: int, **options: Any) -> None:
    """Play one and check it; raises ``AssertionError`` with the script."""
    dice = random.Random(seed)
    options.setdefault("bot", {"greeting": dice.choice(["", "Hello my friend."])})
    async with talk(*_replies(dice), LAST, tools=TOOLS, **options) as t:
        play = Play(t, dice)
        try:
            await play.run()
            await settled(t)
            check(t, play)
            t.scene.server.replies[len(t.scene.server.requests) :] = [LAST]
            heard = t.scene.heard.count("Done now.")
            await play._speaks("What is it now?", 0.6)
            await t.scene.until(lambda: t.scene.heard.count("Done now.") > heard)
            await t.until_free()
            await t.until_kept("Done now.")
            check(t, play)
            await t.scene.end()
        except BaseException as error:
            error.add_note(f"seed {seed}: {play.script}")
            raise


async def main(first: int, count: int) -> None:
    slots = asyncio.Semaphore(8)
    failed = []

    async def one(seed: int) -> None:
        async with slots:
            try:
                await converse(seed)
            except Exception as error:
                failed.append(seed)
                print(f"--- {seed}", "".join(traceback.format_exception_only(error)), flush=True)
                if count == 1:
                    traceback.print_exc()

    await asyncio.gather(*(one(seed) for seed in range(first, first + count)))
    print(f"{len(failed)} of {count} failed: {sorted(failed)}")


if __name__ == "__main__":
    logger.remove()
    hearing.build_vad = fake_vad  # type: ignore[assignment]
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
