"""The part ``noises``: coughs, slams and nods while the bot speaks."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.bargein.capture import Capture, row_of
from bench.bargein.clips import USERS, Clip, lines
from bench.bargein.cuts import PLAIN
from bench.bargein.rounds import Plan, Talker, carry_out
from bench.bargein.stage import Stage
from bench.figures import Row

SEED = 6
MADE = ("cough", "slam", "cough", "knocks", "clearing", "cough", "slam")
A_ROUND, A_PLAIN_ROUND, QUICK = 8, 2, 4
NODS = 0.35
"""Of the noises: "mm-hm", said by other voices."""
SHORTEST_S, LONGEST_S = 6.0, 12.0
"""Of replies: the noise has time to be followed by something, and forty take ten minutes."""


async def measure(stage: Stage, *, plain: bool = False) -> list[dict[str, Any]]:
    """A row for each noise, one in a reply."""
    a_round = A_PLAIN_ROUND if plain else A_ROUND
    count = QUICK if stage.options.quick else a_round * stage.options.rounds
    clips = await make_clips(stage, count)
    rng = random.Random(SEED)  # noqa: S311 - no secret; the same noises every time
    rng.shuffle(clips)
    texts = [
        text for text in stage.replies
        if SHORTEST_S <= Plan(text, "noise", 0).length_s <= LONGEST_S
    ]  # fmt: skip
    todo = [Plan(stage.replies[0], "whole", 1.0)]
    todo += [Plan(rng.choice(texts), "noise", rng.uniform(0.15, 0.6), clip) for clip in clips]
    stage.progress.begin("noises", len(todo))
    captures: list[tuple[Plan, Capture]] = []
    async with stage.bot(**PLAIN if plain else {}) as bot:
        await carry_out(Talker(stage, bot), todo, lambda *done: captures.append(done))
    return [
        {"round": number, "kind": plan.clip.kind, "said": plan.clip.text,
         "clip_s": plan.clip.length_s, **row_of(capture)}
        for number, (plan, capture) in enumerate(captures) if plan.clip is not None
    ]  # fmt: skip


async def make_clips(stage: Stage, count: int) -> list[Clip]:
    """Nods by other voices, sounds of this machine, and the rest by arithmetic."""
    nods = max(1, round(count * NODS))
    texts = lines("fillers.txt")
    clips = await stage.recordings.speak(
        "nod", [(USERS[n % len(USERS)], texts[n % len(texts)]) for n in range(nods)]
    )
    clips += stage.recordings.found()[: max(0, count - nods - 1)]
    return clips + stage.recordings.made(MADE, count - len(clips), SEED)


def figures(rows: Sequence[Row] | None) -> dict[str, Any]:
    """Replies that a noise ended, by kind too, and what a hold cost."""
    if rows is None:
        return {"noises": None, "noise_cuts": None, "noise_cuts_of": None}
    lost = [row for row in rows if row["cut_at_s"] is not None or not row["heard_to_its_end"]]
    return {
        "noises": dict(Counter(str(row["kind"]) for row in rows)),
        "noise_cuts": len(lost),
        "noise_cuts_of": dict(Counter(f"{row['kind']} {row['said']}".strip() for row in lost)),
    }


def resume_gap_ms_max(rows: Sequence[Row]) -> float | None:
    """The most of the reply that was lost (or heard twice) across a hold.

    Rows in which the device ran dry are left out: the machine was too slow to play.
    """
    steady = [row for row in rows if not row.get("device_underruns")]
    gaps = [abs(hold["gap_ms"]) for row in steady for hold in row.get("holds", ())]
    return max(gaps, default=None)
