"""The barge-in policy, joined to the ear and to the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from speech.barge_in.decision import Action, Decision
from speech.barge_in.events import Ended, Event, Tick, Voice
from speech.barge_in.policy import BargeIn
from speech.barge_in.replies import Replies
from speech.barge_in.speaker import Speaker
from speech.timeline import Timeline

HOLE_S = 0.3
"""Without a frame of the detector for so long nobody is heard: some telephones and rooms send
nothing in silence. Longer than a network gathers packets."""

LATE_S = 0.1
"""A timer that is later than this shows a loop that stood still, and frames with it."""


class BargeInControl:
    """Tells the policy what happens and carries its decisions out.

    The sound obeys before ``take`` returns, whatever the pipeline is busy with. The interruption
    and the question to ask again go round as frames: ``due`` is set until ``Interrupter`` has
    taken them. Lives in one event loop; only ``heard_voice`` may be called from a thread.
    """

    def __init__(
        self,
        policy: BargeIn,
        timeline: Timeline,
        speaker: Speaker,
        *,
        echo: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """``echo``: how likely the microphone hears the bot itself now, 0 to 1."""
        self.due = asyncio.Event()
        self.interruption_due = False
        self.question_due = False
        self.asleep = False
        """Nobody is addressed before a wake phrase is heard: voice and words count for nothing."""
        self._policy = policy
        self._timeline = timeline
        self._speaker = speaker
        self._echo = echo
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._hole: asyncio.TimerHandle | None = None
        self._decided = asyncio.Event()
        self._decided.set()
        self._cuts = 0
        self._interrupting = False
        self._closed = False

    @property
    def replies(self) -> Replies:
        """Whose late frames are to be dropped."""
        return self._policy.replies

    def now(self) -> float:
        """On the clock of the events."""
        return self._timeline.clock()

    def take(self, event: Event) -> list[Decision]:
        """Tell the policy; what it decided has been carried out or is ``due``. Nothing is decided
        once closed."""
        if self._closed:
            return []
        decisions = self._policy.take(event)
        for decision in decisions:
            self._carry_out(decision)
        self._arm()
        return decisions

    def is_echo(self, transcript: str) -> bool:
        """Whether it is the bot's own recent words."""
        return self._policy.is_echo(transcript, self.now())

    def heard_voice(self, confidence: float) -> None:
        """One frame of the voice detector, 0 to 1; from any thread."""
        at = self.now()
        with suppress(RuntimeError):  # The loop is closed: there is no conversation any more.
            self._loop.call_soon_threadsafe(self._take_voice, at, confidence)

    def interrupted(self) -> None:
        """An interruption has reached the voice, which has dropped what may be interrupted: also
        what began after the cut was decided."""
        self._interrupting = False
        for reply_id in self._policy.interruptible:
            self.take(Ended(self.now(), reply_id))

    async def may_run(self) -> bool:
        """Whether a tool that the answer under way wants may run now.

        Waits while the answer is ducked, at most the policy's window. False: it was cut, and the
        interruption that cancels the call is on its way; that is counted.
        """
        cuts = self._cuts
        await self._decided.wait()
        cut = self._interrupting or self._cuts != cuts
        if cut:
            self.replies.dropped["tool"] += 1
        return not cut

    def close(self) -> None:
        """Decide no more; what came late of replies that were cut is marked. Idempotent."""
        self._closed = True
        if self.replies.dropped:
            counts: dict[str, Any] = dict(self.replies.dropped)
            self._timeline.mark("note", what="came late", **counts)
            self.replies.dropped.clear()
        for timer in (self._alarm, self._hole):
            if timer is not None:
                timer.cancel()
        self._alarm = self._hole = None
        self._decided.set()

    def _take_voice(self, at: float, confidence: float) -> None:
        if self._closed:
            return
        self._expect_voice(at)
        self.take(Voice(at, 0.0 if self.asleep else confidence, self._echo()))

    def _expect_voice(self, heard_at: float) -> None:
        if self._hole is not None:
            self._hole.cancel()
        due = self._loop.time() + HOLE_S
        self._hole = self._loop.call_at(due, self._hear_nothing, heard_at, due)

    def _hear_nothing(self, heard_at: float, due: float) -> None:
        if self._loop.time() > due + LATE_S:
            self._expect_voice(heard_at)
        else:
            self.take(Voice(heard_at, 0.0))

    def _carry_out(self, decision: Decision) -> None:
        reply_id, why = decision.reply_id, decision.why.value
        match decision.action:
            case Action.DUCK if reply_id is not None:
                self._decided.clear()
                self._speaker.duck(reply_id)
            case Action.RESUME:
                self._speaker.resume()
                self._decided.set()
            case Action.CUT if reply_id is not None:
                self._speaker.cut(reply_id)
                self._timeline.mark("interrupt", reply_id=reply_id, why=why)
                self._cuts += 1
                self._interrupting = self.interruption_due = True
                self._decided.set()
                self.due.set()
            case Action.ASK_AGAIN:
                self.question_due = True
                self.due.set()
        if decision.action is not Action.CUT:
            name = decision.action.value.replace("_", " ")
            self._timeline.mark("note", what=name, reply_id=reply_id, why=why)

    def _arm(self) -> None:
        """Wake the policy when something is due."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if (deadline := self._policy.deadline) is not None:
            delay = max(0.0, deadline - self.now())
            self._alarm = self._loop.call_later(delay, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self.take(Tick(self.now()))
