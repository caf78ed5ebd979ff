"""Voice and ears: what takes longest to load, and outlives one conversation's settings."""

from __future__ import annotations

from collections.abc import Callable

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.evidence import spoken_at_once
from bot.hearing import open_recogniser
from bot.voice import build_voice
from processors.phrases import prepare_phrases
from speech.engine import PcmChunk, SpeechEngine
from speech.hearing.recogniser import Recogniser
from speech.units import UnitSplitter

Notify = Callable[[str], None]

_DECISIVE = ("tts", "stt", "models", "say", "no_read")
"""The sections that say which voice and ears are loaded, and how they are used."""


class Senses:
    """The voice and the ears of ``settings``, loaded when they are first asked for.

    Raises what ``build_voice`` raises; ``notify`` gets a line before long work.
    """

    def __init__(self, settings: Settings, notify: Notify, secrets: Secrets | None = None) -> None:
        self.engine: SpeechEngine = build_voice(settings, notify, secrets)
        self._settings = settings
        self._recogniser: Recogniser | None = None
        self._spoken: dict[str, list[PcmChunk]] = {}

    def serve(self, settings: Settings) -> bool:
        """Whether they are those that ``settings`` ask for."""
        mine = self._settings
        same = all(getattr(settings, name) == getattr(mine, name) for name in _DECISIVE)
        return same and settings.turn.end == mine.turn.end

    async def ears(self) -> Recogniser | None:
        """The recogniser, warm; None where transcription is remote."""
        if self._recogniser is None:
            self._recogniser = await open_recogniser(self._settings)
        return self._recogniser

    async def phrases(self, settings: Settings) -> tuple[dict[str, list[PcmChunk]], list[str]]:
        """The audio of the fixed texts of ``settings``, and which of them make up the apology.

        What an earlier conversation had spoken is not spoken again.
        """
        bot, tts = settings.bot, self._settings.tts
        await self.engine.calibrate(tts.voice)
        # Greeting and goodbye are spoken whole; what stands for LLM text is spoken in its units.
        apology = spoken_units(bot.apology, settings)
        says_so = settings.tts.on_failure == "say_so"
        lost_voice = spoken_units(bot.lost_voice, settings) if says_so else []
        whole = [text.replace("{name}", bot.name) for text in (bot.greeting, bot.goodbye) if text]
        ahead = [*whole, *apology, *lost_voice, *spoken_at_once(settings)]
        new = [text for text in ahead if text.strip() not in self._spoken]
        self._spoken |= await prepare_phrases(self.engine, tts.voice, tts.speed, new)
        wanted = {text.strip() for text in ahead}
        return {text: pcm for text, pcm in self._spoken.items() if text in wanted}, apology

    async def aclose(self) -> None:
        """Let go of both; idempotent."""
        if self._recogniser is not None:
            await self._recogniser.aclose()
        await self.engine.aclose()


def spoken_units(phrase: str, settings: Settings) -> list[str]:
    """The units that the pipeline's aggregator makes of a configured phrase."""
    text = phrase.replace("{name}", settings.bot.name)
    splitter = UnitSplitter(settings.bot.language, longest=settings.units.longest)
    units = splitter.feed(text) + splitter.finish()
    return [unit.text for unit in units if unit.text]
