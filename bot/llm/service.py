"""The LLM as a pipecat service that answers, or says that it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from contextlib import aclosing
from functools import reduce
from typing import Any

from loguru import logger
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk
from pipecat.frames.frames import Frame
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.utils.errors import ErrorCategory
from pipecat.utils.types import assert_given

from bot.config.schema import LlmSettings, Settings
from bot.llm.answer import Answer, text_chunk
from bot.llm.attempt import attempt
from bot.llm.endpoint import LlmEndpoint
from bot.llm.faults import CATEGORIES, Faulted
from bot.llm.messages import (
    LeadIn,
    but_for,
    fit_messages,
    place_lead_in,
    smaller_context,
    system_prompt,
)
from bot.llm.policy import Fault, FaultKind, Retry, TurnPolicy
from bot.llm.rounds import ToolRounds
from bot.tools.tool import no_such_tool
from processors.evidence import WithheldFrame
from speech.errors import EarshotError
from speech.redact import place_of
from speech.text_clean import clean_json

SENTENCE_ENDS = (".", "!", "?", "…", ":", ";")


class EarshotLLMService(OpenAILLMService):
    """One conversation's model.

    Each turn ends with words: the answer, or the configured apology as the answer's text,
    so that it is spoken and recorded like one. Attempts are bounded by the settings'
    connect, first-token and stall timeouts; ``TurnPolicy`` decides what a failure leads to.
    After words have been handed on, a failure ends the answer with the apology instead of
    a second try, so nothing is heard twice. Interrupting closes the HTTP stream at once.
    """

    def __init__(self, endpoint: LlmEndpoint, settings: Settings) -> None:
        self._endpoint = endpoint
        self._limits: LlmSettings = settings.llm
        self._apology = settings.bot.apology.replace("{name}", settings.bot.name)
        self._log_text = settings.privacy.log_text
        self._lead_in: LeadIn | None = None
        self._withheld: list[str] = []
        self._refused: set[str] = set()
        self._rounds = ToolRounds()
        self.supports_developer_role = endpoint.is_openai
        asked = self.Settings(
            model=endpoint.model,
            temperature=endpoint.temperature(self._limits),
            system_instruction=system_prompt(settings),
        )
        setattr(asked, endpoint.limit_name, self._limits.max_tokens)
        super().__init__(api_key=endpoint.api_key, base_url=endpoint.base_url, settings=asked)
        self.register_function(None, no_such_tool)

    def create_client(self, **_: Any) -> AsyncOpenAI:  # type: ignore[override]
        """The endpoint's client, with its timeouts."""
        return self._endpoint.client(self._limits)

    async def cleanup(self) -> None:
        """Release the connections."""
        await super().cleanup()
        await self._client.close()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """As pipecat's; a lead-in is what was spoken of it."""
        if isinstance(frame, WithheldFrame):
            self._withheld.append(frame.text)  # of the answer that still streams, perhaps
            self._lead_in = but_for(self._lead_in, frame.text)
        await super().process_frame(frame, direction)

    async def get_chat_completions(  # type: ignore[override]  # pipecat only iterates it
        self, context: LLMContext
    ) -> AsyncIterator[ChatCompletionChunk]:
        """The chunks of one turn's answer, faults dealt with; never raises for a fault."""
        return self._turn(context)

    async def _request(self, context: LLMContext) -> tuple[dict[str, Any], bool]:
        """The parameters, and whether tools may be called."""
        if self._log_text:
            self._log_llm_response(context)
        instruction = self._settings.system_instruction  # type: ignore[attr-defined]
        params = self.build_chat_completion_params(
            await self.get_llm_adapter().get_llm_invocation_params(
                context,
                system_instruction=assert_given(instruction),
                convert_developer_to_user=not self.supports_developer_role,
            )
        )
        tools = self._rounds.more(params["messages"])
        params["messages"] = self._messages(params["messages"])
        _leave_out(self._refused if tools else {"tools", *self._refused}, params)
        return params, tools

    def _messages(self, messages: list[Any]) -> list[Any]:
        messages = clean_json(messages)
        if self._lead_in is not None:
            messages = place_lead_in(messages, self._lead_in)
        if self._endpoint.context_tokens is not None:
            budget = self._endpoint.context_tokens - self._limits.max_tokens
            messages = fit_messages(messages, budget)
        return messages

    async def _turn(self, context: LLMContext) -> AsyncGenerator[ChatCompletionChunk, None]:
        try:
            params, tools = await self._request(context)
        except Exception as error:  # of a context that cannot be sent; the user must hear it
            for chunk in self._apologise(Answer()):
                yield chunk
            await self._report(Fault(FaultKind.UNEXPECTED, detail=place_of(error)))
            return
        self._withheld.clear()
        policy = TurnPolicy(self._limits.retries, self._limits.max_retry_after_s)
        while True:
            answer = Answer(tools=tools)
            try:
                async with aclosing(self._attempt(params, answer)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                self._lead_in = reduce(but_for, self._withheld, answer.lead_in)
                self._rounds.count(answer)
                return
            except Faulted as failure:
                fault = failure.fault
            except Exception as error:  # nobody foresaw it; the user must hear something
                fault = Fault(FaultKind.UNEXPECTED, detail=place_of(error))
            if fault.kind in (FaultKind.CONNECT, FaultKind.FIRST_TOKEN, FaultKind.STALL):
                self._endpoint.suspect()
            if fault.parameter in params and fault.parameter is not None:
                self._do_without(fault.parameter, params)
                continue
            too_long = fault.kind is FaultKind.TOO_LONG and not answer.text
            if too_long and self._shorten(fault, params):
                continue
            decision = policy.decide(fault, spoken=bool(answer.text))
            if isinstance(decision, Retry):
                logger.warning("LLM attempt failed ({}): asking again", fault.kind)
                await asyncio.sleep(decision.after_s)
                continue
            for chunk in self._apologise(answer):
                yield chunk
            await self._report(fault)
            return

    def _do_without(self, parameter: str, params: dict[str, Any]) -> None:
        """The model does not take this parameter: leave it out, now and later."""
        logger.warning("the model does not take {}: going on without", parameter)
        self._refused.add(parameter)
        _leave_out({parameter}, params)

    def _shorten(self, fault: Fault, params: dict[str, Any]) -> bool:
        """Drop the oldest turns, now and later; False if nothing is left to drop."""
        endpoint, answer_tokens = self._endpoint, self._limits.max_tokens
        messages = params["messages"]
        for said in (fault.context_tokens, None):
            size = smaller_context(messages, endpoint.context_tokens, said, answer_tokens)
            fitted = fit_messages(messages, size - answer_tokens)
            if len(fitted) < len(messages):
                logger.warning("the model's context is full: dropping the oldest turns")
                endpoint.context_tokens, params["messages"] = size, fitted
                return True
        return False

    def _apologise(self, answer: Answer) -> Iterator[ChatCompletionChunk]:
        """The apology as the rest of the answer, a sentence of its own."""
        said = answer.text.rstrip()
        if self._apology:
            joint = "" if not said else " " if said.endswith(SENTENCE_ENDS) else "... "
            yield text_chunk(joint + self._apology)

    async def _report(self, fault: Fault) -> None:
        line = self._endpoint.line(fault)
        category = CATEGORIES.get(fault.kind, ErrorCategory.APPLICATION)
        await self.push_error(line, EarshotError(line), category=category)

    async def _attempt(
        self, params: dict[str, Any], answer: Answer
    ) -> AsyncGenerator[ChatCompletionChunk, None]:
        """One request; raises ``Faulted`` unless it ends with words or a tool call."""
        await self._point_client()
        finishes = self._endpoint.finishes
        parts = attempt(self._client, params, answer, self._limits, finishes=finishes)
        async with aclosing(parts) as chunks:
            async for chunk in chunks:
                yield chunk
        self._endpoint.finishes = finishes or answer.finished

    async def _point_client(self) -> None:
        """At the embedded server's present port; a no-op for others."""
        try:
            url = await self._endpoint.ready()
        except EarshotError as error:
            raise Faulted(Fault(FaultKind.CONNECT, detail=str(error))) from error
        if self._endpoint.server is not None:
            self._client.base_url = url


def _leave_out(names: Iterable[str], params: dict[str, Any]) -> None:
    for name in names:
        params.pop(name, None)
        if name == "tools":
            params.pop("tool_choice", None)
