"""The benchmark ``split``: every contestant cuts the same streamed replies."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from bench import machine
from bench.figures import median, p95, rounded
from bench.options import Options
from bench.split.contestant import Splitter
from bench.split.contestants import CONTESTANTS, PACKAGES, choose
from bench.split.pace import pace
from bench.split.replies_set import SEED, build_set
from bench.split.reply import Reply, key_of, without
from bench.split.score import Released, Score, score
from bench.split.summary import summary
from bench.split.tokens import WAYS, stream

__all__ = ["run", "summary"]

TIME_LIMIT_S = 60.0
"""Processor time of one contestant; one that takes longer is reported so, without figures."""
_MIN_TIMED_S = 0.2
"""A round of the speed figure goes over the set until so much has passed."""


class TooSlow(Exception):
    """A contestant would keep everyone waiting."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A reply as it comes."""

    reply: Reply
    way: str
    tokens: list[str]


@dataclass(slots=True)
class Tally:
    """A contestant's scores, whole and by what they are of."""

    total: Score = field(default_factory=Score)
    pieces: Score = field(default_factory=Score)
    by: dict[str, dict[str, Score]] = field(
        default_factory=lambda: {"kind": {}, "lang": {}, "way": {}}
    )
    misses: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, streamed: Stream, released: Sequence[Released]) -> None:
        """Score one stream."""
        reply = streamed.reply
        result = score(reply, streamed.tokens, released)
        self.total.add(result)
        if streamed.way == "pieces":
            self.pieces.add(result)
        names = {"kind": reply.kind, "lang": reply.lang, "way": streamed.way}
        for what, name in names.items():
            self.by[what].setdefault(name, Score()).add(result)
        if result.f1 < 1:
            self.misses.append(_miss(streamed, released))


def run(options: Options) -> dict[str, Any]:
    """Measure; ``options.only`` names contestants. Raises ``UsageError`` for an unknown one."""
    names = options.parts(CONTESTANTS)
    chosen, missing = choose(names)
    replies = build_set(options.quick)
    streams = list(all_streams(replies))
    config = _config(options, replies, streams)
    options.progress.begin("split", len(chosen))
    tallies: dict[str, Tally] = {}
    for name, contestant in chosen.items():
        try:
            tallies[name] = measure(contestant.build(), streams)
        except (ImportError, TooSlow) as error:
            missing[name] = str(error)
        options.progress.step()
    speed = _speeds(chosen["earshot"].build(), streams, options) if "earshot" in tallies else []
    paces = pace(replies) if "earshot" in tallies else []
    config["load_average_after"] = machine.load_average()
    return record(config, tallies, missing, speed, options.misses) | {"pace": rounded(paces, 3)}


def all_streams(replies: Iterable[Reply]) -> Iterable[Stream]:
    """Each reply in pieces and in one other way, in turn; in its own way where it has one."""
    others = [way for way in WAYS if way != "pieces"]
    for index, reply in enumerate(replies):
        ways = [reply.way] if reply.way else ["pieces", others[index % len(others)]]
        for way in ways:
            yield Stream(reply, way, stream(reply.text, way, reply.id))


def measure(splitter: Splitter, streams: Sequence[Stream]) -> Tally:
    """Every stream cut and scored. Raises ``TooSlow``.

    The first reply goes through once unmeasured, as what is loaded at first use is no speed.
    """
    tally = Tally()
    splitter.units(streams[0].tokens, streams[0].reply.lang)
    for streamed in streams:
        started = time.process_time()
        released = splitter.units(streamed.tokens, streamed.reply.lang)
        tally.seconds += time.process_time() - started
        tally.add(streamed, released)
        if tally.seconds > TIME_LIMIT_S:
            raise TooSlow(f"took longer than {TIME_LIMIT_S:g} s")
    return tally


def record(
    config: Mapping[str, Any], tallies: Mapping[str, Tally], missing: Mapping[str, str],
    speeds: Sequence[float], misses: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """The JSON document."""
    megabytes = config["stream_megabytes"]
    document = {
        "name": "split",
        "config": dict(config),
        "missing": dict(missing),
        "f1": {name: tally.total.f1 for name, tally in tallies.items()},
        "false_cuts_per_1000": {
            name: _per_1000(tally.total.false_cuts, tally.total) for name, tally in tallies.items()
        },
        "missed_ends_per_1000": {
            name: _per_1000(tally.total.missed_ends, tally.total) for name, tally in tallies.items()
        },
        "delay_tokens_median": {
            name: median(tally.pieces.delays) for name, tally in tallies.items()
        },
        "delay_tokens_p95": {name: p95(tally.pieces.delays) for name, tally in tallies.items()},
        "early_share": {name: _early(tally.pieces.delays) for name, tally in tallies.items()},
        "mb_per_s": median(speeds),
        "mb_per_s_all_ways": {name: megabytes / tally.seconds for name, tally in tallies.items()},
        **{f"by_{what}": _table(tallies, what) for what in ("kind", "lang", "way")},
    }
    if misses:
        document["misses"] = {
            name: list(islice(tally.misses, misses)) for name, tally in tallies.items()
        }
    cut: dict[str, Any] = rounded(document, 4)
    return cut


def _table(tallies: Mapping[str, Tally], what: str) -> dict[str, dict[str, Any]]:
    return {
        name: {
            group: {
                "f1": result.f1, "units": result.labelled, "false_cuts": result.false_cuts,
                "missed_ends": result.missed_ends,
            }
            for group, result in tally.by[what].items()
        }
        for name, tally in tallies.items()
    }  # fmt: skip


def _per_1000(count: int, of: Score) -> float:
    return 1000 * count / (of.labelled or 1)


def _early(delays: Sequence[int]) -> float | None:
    """Share of units released before their end was decidable by the rule."""
    return sum(delay < 0 for delay in delays) / len(delays) if delays else None


def _speeds(splitter: Splitter, streams: Sequence[Stream], options: Options) -> list[float]:
    """Megabytes of text in a second of processor time, over the streams in pieces, by round.

    Cutting text waits for nothing, so this is the clock's second too, on an idle machine.
    """
    texts = [streamed for streamed in streams if streamed.way == "pieces"]
    return [_speed(splitter, texts) for _ in range(options.effective_rounds)]


def _speed(splitter: Splitter, streams: Sequence[Stream]) -> float:
    size, started, passed = 0.0, time.process_time(), 0.0
    while passed < _MIN_TIMED_S:
        for streamed in streams:
            splitter.units(streamed.tokens, streamed.reply.lang)
        size += megabytes_of(streams)
        passed = time.process_time() - started
    return size / passed


def megabytes_of(streams: Iterable[Stream]) -> float:
    """Of text in UTF-8, a million bytes each."""
    return sum(len(streamed.reply.text.encode()) for streamed in streams) / 1e6


def _miss(streamed: Stream, released: Sequence[Released]) -> dict[str, Any]:
    reply = streamed.reply
    wanted = [
        without(reply.text, reply.silent, low, high).strip() for (low, high), _keys in reply.units()
    ]
    given = [unit.text for unit in released if key_of(unit.text, reply.match)]
    return {
        "id": reply.id, "lang": reply.lang, "way": streamed.way, "wanted": wanted, "given": given,
    }  # fmt: skip


def _config(
    options: Options, replies: Sequence[Reply], streams: Sequence[Stream]
) -> dict[str, Any]:
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": machine.commit(),
        "quick": options.quick,
        "rounds": options.effective_rounds,
        "seed": SEED,
        "replies": len(replies),
        "streams": len(streams),
        "units": sum(len(reply.ends) for reply in replies),
        "kinds": dict(Counter(reply.kind for reply in replies).most_common()),
        "languages": dict(Counter(reply.lang for reply in replies).most_common()),
        "stream_megabytes": megabytes_of(streams),
        "machine": machine.describe_machine(),
        "versions": machine.versions(PACKAGES),
        "load_average_before": machine.load_average(),
    }
