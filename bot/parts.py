"""What is heavy and warm, shared by every conversation of the process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.leaving import interrupt_leaves
from bot.llm import LlmEndpoint, open_llm
from bot.senses import Senses
from speech.engine import PcmChunk, SpeechEngine
from speech.errors import EarshotError
from speech.evidence.waits import WaitTimes
from speech.hearing.recogniser import Recogniser

Notify = Callable[[str], None]


@dataclass
class Parts:
    """Voice, ears and mind, loaded and warm.

    ``recogniser`` is None where transcription is remote. ``phrases`` holds the audio of
    the fixed texts (greeting, goodbye, apology, fillers) for the configured voice; ``apology``
    names those that make up the apology, in order. ``waits`` is how long tools have taken.
    """

    settings: Settings
    secrets: Secrets
    engine: SpeechEngine
    recogniser: Recogniser | None
    llm: LlmEndpoint
    phrases: dict[str, list[PcmChunk]] = field(default_factory=dict)
    apology: list[str] = field(default_factory=list)
    waits: WaitTimes = field(default_factory=WaitTimes)

    def phrase(self, text: str) -> str:
        """A configured phrase with the bot's name filled in."""
        return text.replace("{name}", self.settings.bot.name)


@asynccontextmanager
async def open_parts(
    settings: Settings, secrets: Secrets, *, notify: Notify, senses: Senses | None = None
) -> AsyncIterator[Parts]:
    """Load and warm everything at once; close it in reverse order.

    ``senses`` that serve these settings are used, and stay open. Ctrl-C while it loads ends
    the process. Raises the first ``EarshotError`` met: a missing model, an unknown voice, a
    server that does not answer.
    """
    async with AsyncExitStack() as stack:
        with interrupt_leaves(notify):
            if senses is None:
                notify("Loading the voice, the ears and the language model …")
                senses = Senses(settings, notify, secrets)
                stack.push_async_callback(senses.aclose)
            try:
                async with asyncio.TaskGroup() as group:
                    voice = group.create_task(senses.phrases(settings))
                    ears = group.create_task(senses.ears())
                    mind = group.create_task(_open_llm(stack, settings, secrets, notify))
            except BaseExceptionGroup as failures:
                raise _first(failures) from failures
        phrases, apology = voice.result()
        engine = senses.engine
        yield Parts(settings, secrets, engine, ears.result(), mind.result(), phrases, apology)


async def _open_llm(
    stack: AsyncExitStack, settings: Settings, secrets: Secrets, notify: Notify
) -> LlmEndpoint:
    endpoint = await open_llm(settings, secrets, notify=notify)
    stack.push_async_callback(endpoint.aclose)
    return endpoint


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error to show: a user error before any other, however deep in the group."""
    known, other = failures.split(EarshotError)
    group: BaseException = known or other or failures
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group
