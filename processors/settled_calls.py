"""A tool call that was cancelled is recorded as cancelled, whichever frame comes first."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat.frames.frames import (
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    FunctionCallResultProperties,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

CANCELLED = "CANCELLED"
MAX_EARLY = 64
"""Cancellations kept for calls whose announcement has not come; older ones are forgotten."""


@dataclass
class CancelledCallFrame(FunctionCallResultFrame):
    """The outcome of a cancelled call, in its place among the other frames."""


class SettledCalls(FrameProcessor):
    """Stands before the assistant aggregator and puts a cancellation behind its call.

    A result that comes behind the cancellation, as when a tool was just done, is dropped.

    A call's announcement waits in the queues behind the answer's audio; its cancellation is a
    system frame and overtakes it, even inside the aggregator, which then ignores it: the call
    stayed "in progress" in the context for good. So the cancellation goes on as a result.
    Calls that outlast an interruption are left to pipecat, which tells of them in messages.
    """

    def __init__(self) -> None:
        super().__init__(enable_direct_mode=True)
        self._announced: dict[str, FunctionCallInProgressFrame] = {}
        self._early: dict[str, FunctionCallCancelFrame] = {}

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Reorder a cancellation; pass everything else on."""
        await super().process_frame(frame, direction)
        if direction is FrameDirection.UPSTREAM:
            await self.push_frame(frame, direction)
        elif isinstance(frame, FunctionCallCancelFrame):
            await self._cancelled(frame)
        elif isinstance(frame, FunctionCallResultFrame):
            if frame.tool_call_id in self._announced:
                self._finished(frame)
                await self.push_frame(frame, direction)
        else:
            await self.push_frame(frame, direction)
            if isinstance(frame, FunctionCallInProgressFrame):
                await self._announce(frame)

    async def _announce(self, call: FunctionCallInProgressFrame) -> None:
        self._announced[call.tool_call_id] = call
        early = self._early.pop(call.tool_call_id, None)
        if early is not None:
            await self._cancelled(early)

    async def _cancelled(self, cancel: FunctionCallCancelFrame) -> None:
        call = self._announced.pop(cancel.tool_call_id, None)
        if call is None:
            self._early[cancel.tool_call_id] = cancel
            while len(self._early) > MAX_EARLY:
                self._early.pop(next(iter(self._early)))
        elif call.cancel_on_interruption:
            await self.push_frame(_outcome(call, cancel))
        else:
            await self.push_frame(cancel)

    def _finished(self, frame: FunctionCallResultFrame) -> None:
        if frame.properties is None or frame.properties.is_final:
            self._announced.pop(frame.tool_call_id, None)


def _outcome(
    call: FunctionCallInProgressFrame, cancel: FunctionCallCancelFrame
) -> CancelledCallFrame:
    return CancelledCallFrame(
        function_name=call.function_name,
        tool_call_id=call.tool_call_id,
        arguments=call.arguments,
        result=CANCELLED,
        properties=FunctionCallResultProperties(run_llm=cancel.run_llm),
    )
