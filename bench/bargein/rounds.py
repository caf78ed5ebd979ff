"""Replies asked for, interrupted and recorded."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from bench.bargein.bot_process import BotProcess, Mark
from bench.bargein.capture import Capture
from bench.bargein.clips import Clip
from bench.bargein.stage import Stage
from speech.errors import EarshotError

LETTERS_A_SECOND = 15.5
"""How fast the voice speaks, to place a cut in a reply that is not synthesised yet."""

FIRST_SOUND_S = 25.0
CUT_S = 8.0
"""How long after the user began a cut may come; whisper needs 2 s on a busy machine."""
NEXT_S = 15.0
_TAIL_S = 0.4
_RECOVERY_S = 4.0
"""A recogniser's word on a noise, and the answer begun again."""

How = Literal["voice", "stop", "noise", "whole", "after"]


@dataclass(frozen=True)
class Plan:
    """A reply and what happens in it at ``at`` (0 to 1, a part of its length)."""

    text: str
    how: How
    at: float
    clip: Clip | None = None

    @property
    def length_s(self) -> float:
        """An estimate."""
        return len(self.text) / LETTERS_A_SECOND


class Talker:
    """Has one reply after another spoken; ``sounding`` is the one that plays, if any."""

    def __init__(self, stage: Stage, bot: BotProcess) -> None:
        self.stage = stage
        self.bot = bot
        self.sounding: Mark | None = None
        self._since = 0
        self._underrun = 0

    async def ask(self, text: str) -> Mark:
        """Have this text said as a reply, without a user's voice; its ``scheduled`` mark."""
        self._since = self.bot.now
        self.stage.model.queue.clear()
        self.stage.model.queue.append(text)
        await self.bot.do("ask", text="Please go on.")
        return await self._sounds(self._since)

    async def _sounds(self, since: int) -> Mark:
        mark = await self.bot.first("scheduled", since, FIRST_SOUND_S)
        if mark is None:
            raise EarshotError("the bot under test did not speak when it was asked to")
        self.sounding = mark
        return mark

    async def through(self, plan: Plan, following: str) -> Capture:
        """``plan`` carried out, and then ``following`` begun: by the user's own turn where
        one spoke, else by asking."""
        scheduled, since = self.sounding, self._since
        if scheduled is None or scheduled.reply is None:
            scheduled = await self.ask(plan.text)
            since = self._since
        assert scheduled.reply is not None
        here = self.bot.now
        await self._happens(plan, scheduled, following, here)
        next_mark = await self._next(plan, following, here)
        end = next_mark.at + _TAIL_S
        speaker, microphone = await self.stage.heard(scheduled.at - _TAIL_S, end)
        underruns = await self._underruns()
        marks = [mark for mark in self.bot.marks[since:] if mark.at <= end]
        return Capture(
            scheduled.reply, self.bot.replies[scheduled.reply], speaker, microphone, marks,
            next_mark.at, plan.clip.samples if plan.clip else None, underruns,
        )  # fmt: skip

    async def _happens(self, plan: Plan, scheduled: Mark, following: str, here: int) -> None:
        bot = self.bot
        if plan.how in ("whole", "after"):
            await self._ends(plan, here)
            if plan.clip is not None:  # spoken into silence, the bot being done
                await asyncio.sleep(1.0)
                self._queue(following)
                self.stage.say(plan.clip)
            return
        moment = scheduled.at + plan.at * plan.length_s
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        if plan.how == "stop":
            await bot.do("stop")
            await bot.first("interrupt", here, CUT_S)
            return
        assert plan.clip is not None
        self._queue(following)
        self.stage.say(plan.clip)
        if plan.how == "noise":
            await self._ends(plan, here)
            if bot.named("interrupt", here):
                await self._recovers(here)
        else:
            await bot.first("interrupt", here, CUT_S)

    async def _ends(self, plan: Plan, here: int) -> None:
        """Until the reply has been spoken or cut."""
        try:
            await self.bot.until(
                lambda: bool(self.bot.named("bot_stopped", here)), plan.length_s + FIRST_SOUND_S
            )
        except TimeoutError:
            raise EarshotError("a reply of the bot under test does not end") from None

    async def _recovers(self, here: int) -> None:
        """Until the bot has said what it says after being cut for nothing, if it does."""
        bot = self.bot
        await asyncio.sleep(_RECOVERY_S)
        with suppress(TimeoutError):
            await bot.until(
                lambda: len(bot.named("bot_stopped", here)) > len(bot.named("scheduled", here)),
                FIRST_SOUND_S,
            )

    async def _next(self, plan: Plan, following: str, here: int) -> Mark:
        self._since = self.bot.now
        if plan.how in ("voice", "after"):
            mark = await self.bot.first("scheduled", here, NEXT_S)
            if mark is not None:
                self.sounding = mark
                return mark
        else:
            await asyncio.sleep(0.5)  # what of a dead reply still comes would come now
        return await self.ask(following)

    async def _underruns(self) -> int:
        """How many there were since this was asked last."""
        before = self._underrun
        stats = await self.bot.figures()
        self._underrun = stats["output_device_underflows"] + stats["output_underflows"]
        return self._underrun - before

    def _queue(self, following: str) -> None:
        self.stage.model.queue.clear()
        self.stage.model.queue.append(following)


def plans(
    replies: list[str], rng: random.Random, hows: list[tuple[How, Clip | None]]
) -> list[Plan]:
    """A random reply and a random point in it for each."""
    return [Plan(rng.choice(replies), how, rng.uniform(0.08, 0.85), clip) for how, clip in hows]


async def carry_out(talker: Talker, todo: list[Plan], take: Any) -> None:
    """All plans in turn, unless it is asked to stop; ``take(plan, capture)`` gets each."""
    for number, plan in enumerate(todo):
        if talker.stage.stopped:
            return
        following = todo[number + 1].text if number + 1 < len(todo) else todo[0].text
        take(plan, await talker.through(plan, following))
        talker.stage.progress.step()
