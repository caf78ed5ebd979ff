"""The evidence gate: units pass when what they rest on is known."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    FunctionCallsStartedFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    StopFrame,
    SystemFrame,
    TTSSpeakFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.text.base_text_aggregator import TextType

from processors.aggregator import CLAIMS, UNSPOKEN
from processors.spacing import Spacing
from speech.evidence.actions import Action, Kind, Pass, Release, Say, TakeBack, Withhold
from speech.evidence.gate import Gate
from speech.evidence.rules import Rules
from speech.evidence.waits import WaitTimes
from speech.timeline import Timeline, TimelineEvent

REFUSALS = ("error", "retracted")
"""Keys of a result that verifies nothing."""

FILLER = "filler"
"""Key of ``metadata``: why words bring nothing new (``speech.evidence.actions.Kind``)."""


def filler_mark(frame: Frame) -> dict[str, Any]:
    """What of a frame's metadata says that its words are a filler; empty where they are none."""
    return {key: value for key, value in frame.metadata.items() if key == FILLER}


@dataclass
class WithheldFrame(SystemFrame):
    """Goes up to the model: these words of its last answer were not spoken and will not be."""

    text: str


class EvidenceGate(FrameProcessor):
    """Stands before the voice and holds, drops, bridges and corrects as ``Gate`` decides.

    What is not a system frame keeps its place behind held units, but for a ``TTSSpeakFrame``:
    a tool that runs may speak. A call whose claim was heard and proved wrong gets a note into
    its result, so that the model knows. Marks ``unit_released`` as units leave.
    """

    def __init__(
        self,
        rules: Rules,
        timeline: Timeline,
        *,
        evidence: Collection[str] = (),
        waits: WaitTimes | None = None,
    ) -> None:
        """``evidence`` names the tools on whose calls the words of their reply rest."""
        super().__init__(enable_direct_mode=True)
        self._rules = rules
        self._timeline = timeline
        self._evidence = frozenset(evidence)
        self._gate = Gate(rules, waits, clock=timeline.clock)
        self._outbox: deque[Action] = deque()
        self._held = timeline.queues.watch(
            "held for evidence",
            unit="units",
            bound=rules.max_units,
            policy="the first goes as evidence.at_bound says",
        )
        self._spacing = Spacing()
        self._pushing = asyncio.Lock()
        self._alarm: asyncio.TimerHandle | None = None
        self._ringing: asyncio.Task[None] | None = None
        self._unsubscribe = timeline.subscribe(self._on_event)

    async def cleanup(self) -> None:
        """Wake no more."""
        self._unsubscribe()
        self._gate.interrupted()
        self._arm()
        if self._ringing is not None:
            await self.cancel_task(self._ringing)
            self._ringing = None
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Pass on what may pass, in order."""
        await super().process_frame(frame, direction)
        if direction is FrameDirection.UPSTREAM:
            self._note_voice(frame)
            await self.push_frame(frame, direction)
        elif isinstance(frame, InterruptionFrame | CancelFrame):
            await self._interrupt(frame)
        elif isinstance(frame, SystemFrame):
            await self.push_frame(frame)
            await self._act(self._learn(frame))
        elif isinstance(frame, TTSSpeakFrame):
            await self.push_frame(frame)
        else:
            await self._act(self._take(frame))
        self._arm()

    def _note_voice(self, frame: Frame) -> None:
        if isinstance(frame, BotStartedSpeakingFrame):
            self._gate.bot_started()
        elif isinstance(frame, BotStoppedSpeakingFrame):
            self._gate.bot_stopped()

    def _on_event(self, event: TimelineEvent) -> None:
        if event.name == "heard_text":
            self._gate.heard(str(event.fields.get("text", "")))
            self._arm()

    def _learn(self, frame: SystemFrame) -> list[Action]:
        """What a frame tells that has overtaken the units."""
        if isinstance(frame, FunctionCallsStartedFrame):
            calls = [(call.tool_call_id, call.function_name) for call in frame.function_calls]
            return self._gate.calls_begun((i, tool, tool in self._evidence) for i, tool in calls)
        if isinstance(frame, FunctionCallCancelFrame):
            why = "it took too long" if frame.run_llm else "it was cancelled"
            return self._gate.settle(frame.tool_call_id, verified=False, why=why)
        return []

    def _take(self, frame: Frame) -> list[Action]:
        """What follows from a frame that keeps its place."""
        match frame:
            case AggregatedTextFrame() if not frame.skip_tts:
                actions = self._gate.unit(frame, frame.text, frame.metadata.get(CLAIMS, ()))
                self._held.level(self._gate.held)
                return actions
            case LLMFullResponseStartFrame():
                return self._gate.reply_started(frame)
            case LLMFullResponseEndFrame():
                return self._gate.reply_ended(frame)
            case FunctionCallResultFrame():
                return self._result(frame) + self._gate.passage(frame, keep=True)
            case EndFrame() | StopFrame():
                return [*self._gate.finish(), Pass(frame)]
            case FunctionCallInProgressFrame() if not frame.cancel_on_interruption:
                self._gate.call_outlasts(frame.tool_call_id)
        return self._gate.passage(frame, keep=not frame.interruptible)

    def _result(self, frame: FunctionCallResultFrame) -> list[Action]:
        if frame.properties is not None and not frame.properties.is_final:
            return []
        why = why_not(frame.result) or frame.error or ""
        actions = self._gate.settle(frame.tool_call_id, verified=not why, why=why)
        said = [action.text for action in actions if isinstance(action, TakeBack)]
        if said:
            frame.result = _with_note(frame.result, said, self._rules.correction)
        return actions

    async def _interrupt(self, frame: Frame) -> None:
        """First of all; then what an interruption must not lose."""
        late = [a.item for a in self._outbox if isinstance(a, Pass)]
        kept = [item for item in late if isinstance(item, Frame) and not item.interruptible]
        self._outbox.clear()
        actions = self._gate.interrupted()
        await self.push_frame(frame)
        if isinstance(frame, InterruptionFrame):
            await self._act([*map(Pass, kept), *actions])

    async def _act(self, actions: Sequence[Action]) -> None:
        """In one order, whichever task brings them."""
        self._outbox.extend(actions)
        async with self._pushing:
            while self._outbox:
                await self._carry_out(self._outbox.popleft())

    async def _carry_out(self, action: Action) -> None:
        match action:
            case Pass(item=Frame() as frame):
                await self._pass(frame)
            case Release(item=AggregatedTextFrame() as frame):
                self._spacing.join(frame)
                if action.filler is not None:
                    frame.metadata[FILLER] = action.filler.value
                self._mark_released(frame, state=action.state.value, held_s=action.waited_s)
                await self.push_frame(frame)
            case Withhold():
                self._spacing.leave_out()
                self._timeline.mark("note", what="withheld", text=action.text, why=action.why)
                await self.push_frame(WithheldFrame(action.text), FrameDirection.UPSTREAM)
            case Say():
                await self._say(action)
            case TakeBack():
                self._timeline.mark("note", what="wrong", text=action.text, why=action.why)

    async def _pass(self, frame: Frame) -> None:
        if isinstance(frame, LLMFullResponseStartFrame):
            self._spacing.begin()
        if _is_unspoken(frame) and not self._spacing.needs(frame):
            return
        await self.push_frame(frame)

    async def _say(self, words: Say) -> None:
        """A filler is not recorded: it would stand between a call and its result."""
        filler = words.kind is Kind.PREAMBLE
        frame: Frame
        if filler and not words.inside:
            frame = TTSSpeakFrame(words.text, append_to_context=False)
        else:
            frame = AggregatedTextFrame(words.text, TextType.SENTENCE, raw_text=words.text)
            frame.append_to_context = not filler
            if not filler:
                self._spacing.put_in(frame)
        if filler:
            frame.metadata[FILLER] = words.kind.value
        if isinstance(frame, AggregatedTextFrame):
            self._mark_released(frame, kind=words.kind.value)
        await self.push_frame(frame)

    def _mark_released(self, frame: AggregatedTextFrame, **fields: Any) -> None:
        if filler := frame.metadata.get(FILLER):
            fields[FILLER] = filler
        if (held_s := round(fields.pop("held_s", 0.0), 3)) > 0:
            fields["held_s"] = held_s
        if fields.get("state") == "free":
            del fields["state"]
        self._timeline.mark("unit_released", **fields)

    def _arm(self) -> None:
        """Wake when something is due."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if (deadline := self._gate.deadline) is not None:
            delay = max(0.0, deadline - self._timeline.clock())
            self._alarm = asyncio.get_running_loop().call_later(delay, self._ring)

    def _ring(self) -> None:
        self._alarm = None
        self._ringing = self.create_task(self._tick(), name="evidence deadline")

    async def _tick(self) -> None:
        await self._act(self._gate.tick())
        self._arm()


def _is_unspoken(frame: Frame) -> TypeGuard[AggregatedTextFrame]:
    return isinstance(frame, AggregatedTextFrame) and frame.text_type == UNSPOKEN


def why_not(result: Any) -> str:
    """Why a call's result verifies nothing: its error, or what the tool says; empty if it does.

    An error is ``{"error": …}``, a check with another outcome than hoped ``{"retracted": …}``;
    a tool's own text under these names counts as well.
    """
    if not isinstance(result, dict):
        return ""
    why = next((str(result[key]) for key in REFUSALS if result.get(key)), "")
    own = result.get("result")
    if why or not isinstance(own, dict):
        return why
    return next((own[key] for key in REFUSALS if isinstance(own.get(key), str)), "")


def _with_note(result: Any, said: Sequence[str], correction: str) -> dict[str, Any]:
    """In the result, not a message of its own: every server takes that, in its right place."""
    quoted = " ".join(text.strip() for text in said)
    note = f'You have already told the user: "{quoted}" That is not true.'
    if correction:
        note += f' "{correction}" will be said before your answer: do not say that again.'
    body = result if isinstance(result, dict) else {"result": result}
    return {**body, "note": note}
