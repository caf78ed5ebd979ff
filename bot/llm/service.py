"""The LLM as a pipecat service that answers, or says that it cannot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

from loguru import logger
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.utils.errors import ErrorCategory
from pipecat.utils.types import assert_given

from bot.config.schema import LlmSettings, Settings
from bot.llm.answer import Answer, text_chunk
from bot.llm.endpoint import LlmEndpoint
from bot.llm.faults import CATEGORIES, Faulted, fault_of, operator_line
from bot.llm.messages import LeadIn, fit_messages, place_lead_in
from bot.llm.policy import Fault, FaultKind, Retry, StreamDeadline, TurnPolicy
from speech.errors import EarshotError

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
        self._refused: set[str] = set()
        self.supports_developer_role = endpoint.is_openai
        asked = self.Settings(model=endpoint.model, temperature=endpoint.temperature(self._limits))
        setattr(asked, endpoint.limit_name, self._limits.max_tokens)
        super().__init__(api_key=endpoint.api_key, base_url=endpoint.base_url, settings=asked)

    def create_client(self, **_: Any) -> AsyncOpenAI:  # type: ignore[override]
        """The endpoint's client, with its timeouts."""
        return self._endpoint.client(self._limits)

    async def cleanup(self) -> None:
        """Release the connections."""
        await super().cleanup()
        await self._client.close()

    async def get_chat_completions(  # type: ignore[override]  # pipecat only iterates it
        self, context: LLMContext
    ) -> AsyncIterator[ChatCompletionChunk]:
        """The chunks of one turn's answer, faults dealt with; never raises for a fault."""
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
        params["messages"] = self._messages(params["messages"])
        _leave_out(self._refused, params)
        return self._turn(params)

    def _messages(self, messages: list[Any]) -> list[Any]:
        if self._lead_in is not None:
            messages = place_lead_in(messages, self._lead_in)
        if self._endpoint.context_tokens is not None:
            budget = self._endpoint.context_tokens - self._limits.max_tokens
            messages = fit_messages(messages, budget)
        return messages

    async def _turn(self, params: dict[str, Any]) -> AsyncGenerator[ChatCompletionChunk, None]:
        policy = TurnPolicy(self._limits.retries, self._limits.max_retry_after_s)
        while True:
            answer = Answer()
            try:
                async with aclosing(self._attempt(params, answer)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                self._lead_in = answer.lead_in
                return
            except Faulted as failure:
                fault = failure.fault
            except Exception as error:  # a chunk nobody foresaw; the user must hear something
                fault = _logged(Fault(FaultKind.UNEXPECTED, detail=type(error).__name__), error)
            if fault.kind in (FaultKind.CONNECT, FaultKind.FIRST_TOKEN, FaultKind.STALL):
                self._endpoint.suspect()
            if fault.parameter in params and fault.parameter is not None:
                self._do_without(fault.parameter, params)
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

    def _apologise(self, answer: Answer) -> Iterator[ChatCompletionChunk]:
        """The apology as the rest of the answer, a sentence of its own."""
        said = answer.text.rstrip()
        if self._apology:
            joint = "" if not said else " " if said.endswith(SENTENCE_ENDS) else "... "
            yield text_chunk(joint + self._apology)

    async def _report(self, fault: Fault) -> None:
        line = operator_line(
            fault,
            base_url=self._endpoint.base_url,
            model=self._endpoint.model,
            key_name=self._endpoint.key_name,
        )
        await self.push_error(line, category=CATEGORIES.get(fault.kind, ErrorCategory.APPLICATION))

    async def _attempt(
        self, params: dict[str, Any], answer: Answer
    ) -> AsyncGenerator[ChatCompletionChunk, None]:
        """One request; raises ``Faulted`` unless it ends with words or a tool call."""
        await self._point_client()
        deadline = StreamDeadline(
            time.monotonic,
            first_token_s=self._limits.first_token_timeout_s,
            stall_s=self._limits.stall_timeout_s,
        )
        stream = await self._open(params, deadline)
        try:
            while (chunk := await _next(stream, deadline)) is not None:
                for out in answer.take(chunk):
                    yield out
                if answer.full:
                    logger.warning("the model's answer was cut off: it did not end")
                    break
                if answer.finished and not deadline.finished:
                    deadline.finish()
                elif answer.advanced and not deadline.finished:
                    deadline.progress()
        finally:
            await stream.close()
        for out in answer.tool_chunks():
            yield out
        if answer.is_empty:
            raise Faulted(Fault(FaultKind.EMPTY))

    async def _point_client(self) -> None:
        """At the embedded server's present port; a no-op for others."""
        try:
            url = await self._endpoint.ready()
        except EarshotError as error:
            raise Faulted(Fault(FaultKind.CONNECT, detail=str(error))) from error
        if self._endpoint.server is not None:
            self._client.base_url = url

    async def _open(
        self, params: dict[str, Any], deadline: StreamDeadline
    ) -> AsyncStream[ChatCompletionChunk]:
        try:
            async with asyncio.timeout(deadline.remaining_s):
                stream: AsyncStream[
                    ChatCompletionChunk
                ] = await self._client.chat.completions.create(**params)
                return stream
        except TimeoutError as error:
            raise Faulted(deadline.fault) from error
        except Exception as error:  # whatever it is, the user must hear something
            raise Faulted(_logged(fault_of(error, connected=False), error)) from error


def _leave_out(names: set[str], params: dict[str, Any]) -> None:
    for name in names:
        params.pop(name, None)
        if name == "tools":
            params.pop("tool_choice", None)


async def _next(
    stream: AsyncStream[ChatCompletionChunk], deadline: StreamDeadline
) -> ChatCompletionChunk | None:
    """The next chunk, or None at the end of the stream."""
    try:
        async with asyncio.timeout(deadline.remaining_s):
            return await anext(stream, None)
    except TimeoutError as error:
        if deadline.finished:
            return None
        raise Faulted(deadline.fault) from error
    except Exception as error:  # whatever it is, the user must hear something
        if deadline.finished:
            return None
        raise Faulted(_logged(fault_of(error, connected=True), error)) from error


def _logged(fault: Fault, error: Exception) -> Fault:
    """Keep the traceback of what nobody foresaw."""
    if fault.kind is FaultKind.UNEXPECTED:
        logger.opt(exception=error).debug("unexpected LLM failure")
    return fault
