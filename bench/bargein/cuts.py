"""The parts ``cuts`` and ``plain``: fifty replies cut at random points, ours and pipecat's way."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bench.bargein.capture import Capture, row_of
from bench.bargein.clips import USERS, Clip, lines
from bench.bargein.rounds import How, Plan, Talker, carry_out, plans
from bench.bargein.stage import Stage
from bench.figures import Row, largest, median, p95
from speech.barge_in.config import BargeInConfig

SEED = 5
PLAIN = {"barge_in__policy": "pipecat"}


class Counts(NamedTuple):
    """Replies in one round: cut by a user's voice, cut by an explicit stop (before which
    nothing ducks), and heard to the end before the user speaks."""

    voice: int
    stop: int
    after: int


A_ROUND = Counts(10, 3, 2)
A_PLAIN_ROUND = Counts(6, 1, 1)
QUICK = Counts(3, 2, 1)
CUT_AFTER_S = BargeInConfig().cut_after_s
_VOICES = 24
"""Different sayings; more cuts use them again."""


async def measure(stage: Stage, *, plain: bool = False) -> list[dict[str, Any]]:
    """A row for every reply, with the policy or with pipecat's own interruptions."""
    hows = await _hows(stage, _counts(stage, plain))
    rng = random.Random(SEED)  # noqa: S311 - no secret; the same cuts every time
    todo = [_whole(stage), *plans(stage.replies, rng, hows)]
    stage.progress.begin("plain" if plain else "cuts", len(todo))
    captures: list[tuple[Plan, Capture]] = []
    async with stage.bot(**PLAIN if plain else {}) as bot:
        await carry_out(Talker(stage, bot), todo, lambda *done: captures.append(done))
        stats = await bot.figures()
        context = [
            _flat(str(said.get("content")))
            for said in await bot.messages()
            if said.get("role") == "assistant"
        ]
    rows = [
        {"round": number, "how": plan.how, "said": plan.clip.text if plan.clip else None,
         "planned_at": plan.at, **row_of(capture), **_response(capture, plan),
         "in_context": any(_flat("".join(capture.credited)) in said for said in context)}
        for number, (plan, capture) in enumerate(captures)
    ]  # fmt: skip
    return [*rows, {"round": "all", "stats": stats, "context": context}]


def _counts(stage: Stage, plain: bool) -> Counts:
    if stage.options.quick:
        return QUICK
    rounds, one = stage.options.rounds, A_PLAIN_ROUND if plain else A_ROUND
    return Counts(*(rounds * count for count in one))


async def _hows(stage: Stage, counts: Counts) -> list[tuple[How, Clip | None]]:
    texts = lines("sayings.txt")
    different = min(counts.voice, _VOICES)
    clips = await stage.recordings.speak(
        "voice", [(USERS[n % len(USERS)], texts[n % len(texts)]) for n in range(different)]
    )
    hows: list[tuple[How, Clip | None]] = []
    hows += [("voice", clips[n % len(clips)]) for n in range(counts.voice)]
    hows += [("stop", None)] * counts.stop
    hows += [("after", clips[n % len(clips)]) for n in range(counts.after)]
    random.Random(SEED).shuffle(hows)  # noqa: S311
    return hows


def _flat(text: str) -> str:
    return " ".join(text.split())


def _whole(stage: Stage) -> Plan:
    """The session's first reply is not interrupted: echo cancellation adapts meanwhile."""
    return Plan(stage.replies[0], "whole", 1.0)


def _response(capture: Capture, plan: Plan) -> dict[str, Any]:
    """From the last sample of what the user said to the first of the answer."""
    if plan.clip is None or plan.how not in ("voice", "after"):
        return {"answer_ms": None}
    onset = capture.onset_at()
    if onset is None:
        return {"answer_ms": None}
    return {"answer_ms": 1000 * (capture.next_at - onset - plan.clip.length_s)}


def figures(rows: Sequence[Row] | None) -> dict[str, Any]:
    """The promised figures; None for each where the part was left out."""
    rounds = [row for row in rows or () if row["round"] != "all"]
    cut = [row for row in rounds if row["how"] in ("voice", "stop") and row["aligned"]]
    voice = [row for row in cut if row["how"] == "voice"]
    return {
        "cut_to_silent_ms_p95": p95(_known(cut, "cut_to_silent_ms")),
        "cut_to_silent_ms_median": median(_known(cut, "cut_to_silent_ms")),
        "stop_to_silent_ms_p95": p95(
            _known((row for row in cut if row["how"] == "stop"), "cut_to_silent_ms")
        ),
        "samples_after_cut": _sum(cut, "samples_after_cut"),
        "onset_to_duck_ms_p95": p95(_known(voice, "onset_to_duck_ms")),
        "onset_to_duck_ms_median": median(_known(voice, "onset_to_duck_ms")),
        "onset_to_cut_ms_median": median(_known(voice, "onset_to_cut_ms")),
        "fade_step_of_speech_max": largest([*_known(cut, "step_of_speech"), *_steps(rounds)]),
        "unaligned_cuts": sum(not row["aligned"] for row in rounds) if rounds else None,
        "overcredited_words": _sum(cut, "overcredited_words"),
        "missing_words_max": max(_known(cut, "missing_words"), default=None),
        "heard_but_not_in_context": sum(not row.get("in_context", True) for row in rounds)
        if rounds
        else None,
        "missed_cuts": sum(_missed(row) for row in voice) if rounds else None,
        "over_before_decided": sum(_over(row) for row in voice) if rounds else None,
        "answer_ms_after_cut": median(_known(voice, "answer_ms")),
        "answer_ms_undisturbed": median(
            _known((row for row in rounds if row["how"] == "after"), "answer_ms")
        ),
        "clock_ms": _spread(_known(rounds, "clock_ms")),
    }


def _missed(row: Row) -> bool:
    return row["cut_at_s"] is None and not _over(row)


def _over(row: Row) -> bool:
    """Whether the reply came to its end by itself before voice alone would have cut it: its
    user spoke into the last words, and there was nothing left to cut."""
    ended = row.get("onset_to_end_ms")
    return row["cut_at_s"] is None and ended is not None and ended < 1000 * CUT_AFTER_S


def _known(rows: Iterable[Mapping[str, Any]], key: str) -> list[float]:
    return [row[key] for row in rows if row.get(key) is not None]


def _steps(rows: Iterable[Mapping[str, Any]]) -> list[float]:
    """Around the holds, where the device did not run dry."""
    holds = [hold for row in rows if not row["device_underruns"] for hold in row["holds"]]
    return [*_known(holds, "step_before"), *_known(holds, "step_behind")]


def _sum(rows: Sequence[Row], key: str) -> float | None:
    known = _known(rows, key)
    return sum(known) if known else None


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    """Least, median and most."""
    if not values:
        return None
    middle = median(values)
    assert middle is not None
    return {"least": min(values), "median": middle, "most": max(values)}
