"""A function as a tool: described to the model, called with its arguments."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.services.llm_service import FunctionCallParams, LLMService
from pydantic_core import to_jsonable_python

from bot.llm.assembly import BAD_ARGUMENTS_KEY
from bot.tools.context import Retracted, ToolContext, ToolError
from bot.tools.options import is_evidence
from bot.tools.signature import read_signature
from bot.tools.threads import run_in_thread

BACKSTOP_S = 2.0
"""Added to our own time limit for pipecat's, which ends the call without a result."""

MAX_RESULT_CHARS = 4_000
"""About a thousand tokens; a longer text result is cut, so that it does not fill the context."""


class Tool:
    """One function in one conversation.

    ``call`` gives the model a result whatever happens: ``{"result": …}``; ``{"retracted": …}``
    for ``Retracted``; ``{"error": …}`` for arguments it got wrong, a ``ToolError``, a crash or
    a timeout. Raises ``UsageError`` when made from a function that cannot be described.
    """

    def __init__(self, function: Callable[..., Any], context: ToolContext) -> None:
        self._function = function
        self._context = context
        self._signature = read_signature(function)

    @property
    def name(self) -> str:
        """What the model calls it."""
        return self._signature.name

    @property
    def evidence(self) -> bool:
        """Whether the model's words beside a call rest on its outcome."""
        return is_evidence(self._function)

    @property
    def schema(self) -> FunctionSchema:
        """For ``LLMContext``; it carries no handler, ``register`` sets that."""
        signature = self._signature
        return FunctionSchema(
            signature.name, signature.description, signature.properties, signature.required
        )

    def register(self, llm: LLMService[Any]) -> None:
        """Let the service call it."""
        llm.register_function(
            self.name, self._handle, timeout_secs=self._context.timeout_s + BACKSTOP_S
        )

    async def _handle(self, params: FunctionCallParams) -> None:
        await begun_together()
        if not await self._context.may_run():
            await asyncio.Event().wait()  # for the interruption on its way, which cancels this
        await params.result_callback(await self.call(params.arguments))

    async def call(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check the arguments, run the function within the time limit, wrap the outcome."""
        if BAD_ARGUMENTS_KEY in given:
            return {"error": f"the arguments of {self.name} were not a JSON object"}
        limit = asyncio.timeout(self._context.timeout_s)
        try:
            arguments = self._signature.arguments(given)
            async with limit:
                outcome = await self._run(arguments)
            if isinstance(outcome, Retracted):
                raise outcome
            return {"result": _plain(outcome)}
        except Retracted as retracted:
            return {"retracted": str(retracted) or "it is not so"}
        except ToolError as error:
            return {"error": str(error)}
        except Exception as error:  # a tool is the user's code; the conversation goes on
            if limit.expired():
                seconds = f"{self._context.timeout_s:g} seconds"
                return {"error": f"{self.name} took longer than {seconds}"}
            self._context.log_failure(f"the tool {self.name}", error)
            return {"error": f"{self.name} failed"}

    async def _run(self, arguments: dict[str, Any]) -> Any:
        if self._signature.context_name is not None:
            arguments[self._signature.context_name] = self._context
        if inspect.iscoroutinefunction(self._function):
            return await self._function(**arguments)
        return await run_in_thread(partial(self._function, **arguments))

    async def aclose(self) -> None:
        """End what this conversation's tools have started. Idempotent."""
        await self._context.aclose()


async def begun_together() -> None:
    """Let the other calls of the answer begin before this one can be done.

    Pipecat asks the model as soon as no call it knows of is running: a result that is there
    before the next call has begun would be answered, and the next one's again.
    """
    await asyncio.sleep(0)


async def no_such_tool(params: FunctionCallParams) -> None:
    """Tell the model, which made the name up."""
    await begun_together()
    await params.result_callback({"error": f"there is no tool {params.function_name}"})


def _plain(value: Any) -> Any:
    """Something JSON can hold; None means it is done, which a model takes for failure."""
    if value is None:
        return "done"
    plain = to_jsonable_python(value, fallback=str)
    if isinstance(plain, str) and len(plain) > MAX_RESULT_CHARS:
        return plain[:MAX_RESULT_CHARS] + " (cut)"
    return plain
