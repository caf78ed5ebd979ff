"""What is heavy and warm, shared by every conversation of the process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.evidence import spoken_at_once
from bot.hearing import open_recogniser
from bot.leaving import interrupt_leaves
from bot.llm import LlmEndpoint, open_llm
from bot.voice import build_voice
from processors.kokoro_tts import prepare_phrases
from speech.engine import PcmChunk, SpeechEngine
from speech.errors import EarshotError
from speech.evidence.waits import WaitTimes
from speech.hearing.recogniser import Recogniser
from speech.units import UnitSplitter

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
    settings: Settings, secrets: Secrets, *, notify: Notify
) -> AsyncIterator[Parts]:
    """Load and warm everything at once; close it in reverse order.

    Ctrl-C while it loads ends the process. Raises the first ``EarshotError`` met: a missing
    model, an unknown voice, a server that does not answer.
    """
    async with AsyncExitStack() as stack:
        notify("Loading the voice, the ears and the language model …")
        with interrupt_leaves(notify):
            engine = build_voice(settings, notify)
            stack.push_async_callback(engine.aclose)
            try:
                async with asyncio.TaskGroup() as group:
                    voice = group.create_task(_open_voice(engine, settings))
                    ears = group.create_task(_open_ears(stack, settings))
                    mind = group.create_task(_open_llm(stack, settings, secrets, notify))
            except BaseExceptionGroup as failures:
                raise _first(failures) from failures
        phrases, apology = voice.result()
        yield Parts(settings, secrets, engine, ears.result(), mind.result(), phrases, apology)


async def _open_voice(
    engine: SpeechEngine, settings: Settings
) -> tuple[dict[str, list[PcmChunk]], list[str]]:
    bot, tts = settings.bot, settings.tts
    await engine.calibrate(tts.voice)
    # Greeting and goodbye are spoken whole; the apology comes as LLM text, in units.
    apology = _units(bot.apology.replace("{name}", bot.name), settings)
    whole = [text.replace("{name}", bot.name) for text in (bot.greeting, bot.goodbye) if text]
    ahead = [*whole, *apology, *spoken_at_once(settings)]
    phrases = await prepare_phrases(engine, tts.voice, tts.speed, ahead)
    return phrases, apology


def _units(text: str, settings: Settings) -> list[str]:
    """The units that the pipeline's aggregator makes of a text."""
    splitter = UnitSplitter(settings.bot.language, longest=settings.units.longest)
    units = splitter.feed(text) + splitter.finish()
    return [unit.text for unit in units if unit.text]


async def _open_ears(stack: AsyncExitStack, settings: Settings) -> Recogniser | None:
    recogniser = await open_recogniser(settings)
    if recogniser is not None:
        stack.push_async_callback(recogniser.aclose)
    return recogniser


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
