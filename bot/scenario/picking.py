"""Picking marks out of a timeline. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from speech.timeline import TimelineEvent


def reply_ids(events: Sequence[TimelineEvent], since: float, until: float) -> tuple[str, ...]:
    """Replies whose first mark lies in ``[since, until)``, in order."""
    first: dict[str, float] = {}
    for event in events:
        if event.reply_id is not None and event.name != "error":
            first.setdefault(event.reply_id, event.at)
    return tuple(reply for reply, at in first.items() if since <= at < until)


def first_at(
    events: Sequence[TimelineEvent],
    name: str,
    since: float,
    until: float,
    replies: Sequence[str | None] | None = None,
) -> float | None:
    """When ``name`` first happened in ``[since, until)``; of ``replies`` only, if given."""
    return next(iter(times_of(events, name, since, until, replies)), None)


def last_at(
    events: Sequence[TimelineEvent],
    name: str,
    since: float,
    until: float,
    replies: Sequence[str | None] | None = None,
) -> float | None:
    """When ``name`` last happened in ``[since, until)``; of ``replies`` only, if given."""
    return max(times_of(events, name, since, until, replies), default=None)


def times_of(
    events: Sequence[TimelineEvent],
    name: str,
    since: float,
    until: float,
    replies: Sequence[str | None] | None,
) -> list[float]:
    """Every time ``name`` happened; a mark without a reply's id counts for any."""
    return [
        event.at
        for event in events
        if event.name == name
        and since <= event.at < until
        and (replies is None or event.reply_id is None or event.reply_id in replies)
    ]


def joined_text(events: Sequence[TimelineEvent], name: str, since: float, until: float) -> str:
    """The texts of ``name`` in ``[since, until)``, as one line."""
    pieces = [
        str(e.fields.get("text", "")) for e in events if e.name == name and since <= e.at < until
    ]
    joiner = " " if name == "user_text" else ""
    return " ".join(joiner.join(pieces).split())


def heard_of(
    events: Sequence[TimelineEvent], replies: Sequence[str], since: float, until: float
) -> str:
    """Words that were played, by their reply: they may come while the user cuts in."""
    pieces = [
        str(event.fields.get("text", ""))
        for event in events
        if event.name == "heard_text"
        and (event.reply_id in replies if event.reply_id else since <= event.at < until)
    ]
    return " ".join("".join(pieces).split())
