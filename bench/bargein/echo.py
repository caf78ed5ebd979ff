"""The part ``echo``: the microphone hears the loudspeaker, with and without cancelling."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from bench.bargein.bot_process import BotProcess, Mark
from bench.bargein.capture import told
from bench.bargein.clips import USERS, Clip, lines
from bench.bargein.echo_path import delay_and_level, echoing
from bench.bargein.noises import RATE_HZ as MICROPHONE_HZ
from bench.bargein.rounds import CUT_S, FIRST_SOUND_S, LETTERS_A_SECOND
from bench.bargein.stage import Stage
from bench.figures import Row
from bench.tts.words import plain_words
from speech.errors import EarshotError

GAIN_DB = -6.0
PATHS = ((60, False), (90, True), (120, False), (60, True), (90, False), (120, True))
"""Milliseconds from loudspeaker to microphone, and whether there is a room around them."""
SPEECH_S, GUARDED_S = 20.0, 10.0
"""Of bot speech for each path and round: in five, ten minutes with cancelling, five without."""
TALK_OVERS = 2
"""Sayings spoken over the bot for each path, with cancelling."""
QUICK_S = 12.0
SEED = 8
_SETTLED_S = 1.5
_TURN_S = 12.0
DEAF = {"barge_in__policy": "never"}


async def measure(stage: Stage, *, cancelled: bool = True) -> list[dict[str, Any]]:
    """A row for each path."""
    quick = stage.options.quick
    paths = PATHS[1:2] if quick else PATHS
    rng = random.Random(SEED)  # noqa: S311 - no secret; the same every time
    clips = await _clips(stage, TALK_OVERS * len(paths)) if cancelled else []
    stage.progress.begin("echo" if cancelled else "guard", 1 + len(paths))
    server_ms = await _server_delay_ms(stage)
    stage.progress.step()
    rows = []
    for number, (delay_ms, room) in enumerate(paths):
        if stage.stopped:
            break
        added_ms = max(0.0, delay_ms - server_ms)
        async with (
            echoing(stage.card.env, added_ms, GAIN_DB, reverberant=room),
            stage.bot(audio__echo_cancellation=cancelled) as bot,
        ):
            visit = _Visit(stage, bot, rng)
            row = {"wanted_delay_ms": delay_ms, "room": room, "added_ms": added_ms}
            row |= await visit.listen(_speech_s(stage, cancelled))
            row |= await visit.talk_over(clips[number * TALK_OVERS :][:TALK_OVERS])
            rows.append(row)
        stage.progress.step()
    return rows


def _speech_s(stage: Stage, cancelled: bool) -> float:
    if stage.options.quick:
        return QUICK_S
    return stage.options.rounds * (SPEECH_S if cancelled else GUARDED_S)


async def _clips(stage: Stage, count: int) -> list[Clip]:
    texts = lines("sayings.txt")
    spoken = [(USERS[n % len(USERS)], texts[n % len(texts)]) for n in range(count)]
    return await stage.recordings.speak("voice", spoken)


async def _server_delay_ms(stage: Stage) -> float:
    """What the sound server itself takes for the way back."""
    async with (
        echoing(stage.card.env, 0.0, GAIN_DB, reverberant=False),
        stage.bot(**DEAF) as bot,
    ):
        row = await _Visit(stage, bot, random.Random(SEED)).listen(1.0)  # noqa: S311
    if row["delay_ms"] is None:
        raise EarshotError("the bot's voice did not come back to the microphone")
    return float(row["delay_ms"])


class _Visit:
    """One bot on one echo path."""

    def __init__(self, stage: Stage, bot: BotProcess, rng: random.Random) -> None:
        self._stage = stage
        self._bot = bot
        self._rng = rng

    async def listen(self, seconds: float) -> dict[str, Any]:
        """Bot speech for so long, nobody else speaking: what does it take for a user?"""
        bot, model = self._bot, self._stage.model
        here, asked = bot.now, len(model.asked)
        spoken_s, begun = 0.0, time.monotonic()
        place: tuple[float, float] | None = None
        asks = 0
        while (
            not self._stage.stopped
            and spoken_s < seconds
            and time.monotonic() - begun < 3 * seconds + 60
        ):
            begins, ends = await self._one()
            asks += 1
            spoken_s += ends - begins
            if place is None:
                place = delay_and_level(*await self._stage.heard(begins, ends), MICROPHONE_HZ)
        marks = bot.marks[here:]
        texts = [m.fields.get("text", "") for m in marks if m.name == "user_text"]
        return {
            "bot_speech_s": spoken_s,
            "replies": asks,
            "delay_ms": None if place is None else 1000 * place[0],
            "level_db": None if place is None else place[1],
            "self_interruptions": sum(mark.name == "interrupt" for mark in marks),
            "ducks": sum(mark.name == "ducked" for mark in marks),
            "self_answers": len(model.asked) - asked - asks,
            "texts_from_echo": [text for text in texts if text.strip()],
            "marks": told(marks, marks[0].at if marks else 0.0),
        }

    async def _one(self) -> tuple[float, float]:
        """A reply until its end; when it began and ended."""
        bot, text = self._bot, self._rng.choice(self._stage.replies)
        here = await self._ask(text)
        scheduled = await bot.first("scheduled", here, FIRST_SOUND_S)
        stopped = await bot.first(
            "bot_stopped", here, FIRST_SOUND_S + 2 * len(text) / LETTERS_A_SECOND
        )
        await asyncio.sleep(_SETTLED_S)  # its last words come back as text only after it
        if scheduled is None or stopped is None:
            return 0.0, 0.0
        return scheduled.at, stopped.at

    async def _ask(self, text: str) -> int:
        here = self._bot.now
        self._stage.model.queue.clear()
        self._stage.model.queue.append(text)
        await self._bot.do("ask", text="Please go on.")
        return here

    async def talk_over(self, clips: Sequence[Clip]) -> dict[str, Any]:
        """Sayings over the bot's voice: is it cut, and what is understood?"""
        rows = [await self._over(clip) for clip in clips]
        return {"talk_overs": rows}

    async def _over(self, clip: Clip) -> dict[str, Any]:
        bot, text = self._bot, self._stage.replies[-1]
        here = await self._ask(text)
        await bot.first("scheduled", here, FIRST_SOUND_S)
        await asyncio.sleep(self._rng.uniform(2.0, 8.0))
        said_at, here = time.monotonic(), bot.now
        self._stage.say(clip)
        cut = await bot.first("interrupt", here, CUT_S)
        understood = await self._understood(here, said_at + clip.length_s)
        await bot.do("stop")
        await asyncio.sleep(_SETTLED_S)
        return {"said": clip.text, "cut": cut is not None, "understood": understood}

    async def _understood(self, here: int, said_until: float) -> str:
        """All that was transcribed until the turn of the user was over."""
        bot = self._bot

        def over() -> list[Mark]:
            return [m for m in bot.named("llm_request", here) if m.at > said_until]

        with suppress(TimeoutError):
            await bot.until(lambda: bool(over()), _TURN_S)
        return " ".join(m.fields.get("text", "") for m in bot.named("user_text", here))


def figures(
    cancelled: Sequence[Row] | None, guarded: Sequence[Row] | None = None
) -> dict[str, Any]:
    """``self_interruptions`` with cancelling; ``guarded``: without it, by the guard alone."""
    overs = [over for row in cancelled or () for over in row["talk_overs"]]
    return {
        "self_interruptions": None if cancelled is None else _sum(cancelled, "self_interruptions"),
        "echo": {
            "cancelled": _of(cancelled),
            "guarded": _of(guarded),
            "talk_overs": len(overs),
            "talk_overs_cut": sum(over["cut"] for over in overs),
            "talk_over_wer": wer([(over["said"], over["understood"]) for over in overs]),
        },
    }


def _of(rows: Sequence[Row] | None) -> dict[str, Any] | None:
    names = ("bot_speech_s", "self_interruptions", "self_answers", "ducks")
    return None if rows is None else {name: _sum(rows, name) for name in names}


def _sum(rows: Sequence[Row], key: str) -> float:
    return float(sum(row[key] for row in rows))


def wer(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Word errors over all (said, understood) pairs; None without words."""
    said = sum(len(plain_words(text)) for text, _ in pairs)
    errors = sum(word_errors(plain_words(a), plain_words(b)) for a, b in pairs)
    return errors / said if said else None


def word_errors(said: Sequence[str], understood: Sequence[str]) -> int:
    """The fewest words left out, put in or taken for others (Levenshtein)."""
    row = list(range(len(understood) + 1))
    for number, word in enumerate(said, 1):
        above, row[0] = row[0], number
        for column, other in enumerate(understood, 1):
            change = above + (word != other)
            above, row[column] = row[column], min(change, row[column] + 1, row[column - 1] + 1)
    return row[-1]
