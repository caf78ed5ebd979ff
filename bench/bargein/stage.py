"""Everything a part of the benchmark measures with: card, model, bot, clips."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bargein.bot_process import BotProcess, open_bot
from bench.bargein.capture import SPEAKER_HZ
from bench.bargein.clips import Clip, Recordings, lines
from bench.bargein.server import MODEL, FixedModel, open_model
from bench.options import Options, Progress
from bench.soundcard.recorder import Stretch
from bench.soundcard.virtual_card import MICROPHONE, SPEAKER, VirtualCard, missing_programs
from bench.speech_server import served
from bot.config.schema import Settings
from speech.errors import UsageError

_DELIVERED_S = 0.1
"""What is recorded is here after so long."""


@dataclass
class Stage:
    """One card and one model server for all parts; each part opens its bot.

    ``settings`` are the bot's. Over the wire they name a server, whose process is ``voice_pid``.
    """

    options: Options
    settings: Settings
    voice_pid: int | None
    card: VirtualCard
    model: FixedModel
    recordings: Recordings
    folder: Path
    replies: list[str]
    stopped: bool = False
    """Asked to end: a part hands in what it has measured."""

    @property
    def progress(self) -> Progress:
        return self.options.progress

    @asynccontextmanager
    async def bot(self, **changes: Any) -> AsyncIterator[BotProcess]:
        """A bot of its own, with these changes to its settings (``audio__latency_s=0.1``)."""
        settings = bot_settings(self.settings, self.model.base_url, changes)
        async with open_bot(settings, self.card.env, self.folder, self.voice_pid) as bot:
            yield bot

    def describe(self) -> dict[str, Any]:
        """The card, and how true the recording's clock is: see ``MonitorRecorder``."""
        listed = self.card.pactl("list", "sinks")
        return {
            "speaker_hz": self.card.speaker_hz,
            "sink_latency": [line.strip() for line in listed.splitlines() if "Latency:" in line],
        }

    def say(self, clip: Clip) -> None:
        """Begin to play it into the microphone."""
        self.card.play(clip.path, wait=False)

    async def heard(self, begin: float, end: float) -> tuple[Stretch, Stretch]:
        """What the speaker and the microphone carried, once it is all recorded."""
        await asyncio.sleep(max(0.0, end + _DELIVERED_S - time.monotonic()))
        for recorder in (self.card.recorder, self.card.user_recorder):
            await asyncio.to_thread(recorder.wait_until, end)
        return (
            self.card.recorder.stretch(begin, end),
            self.card.user_recorder.stretch(begin, end),
        )


def bot_settings(settings: Settings, base_url: str, changes: Mapping[str, Any]) -> Settings:
    """The configured ones with what the benchmark needs: our model, the card, no greeting.

    A change of a key that this version does not know is left out.
    """
    tree = settings.model_dump(mode="json")
    fixed = {
        "bot__greeting": "",
        "bot__goodbye": "",
        "tools__enabled": [],
        "audio__input_device": MICROPHONE,
        "audio__output_device": SPEAKER,
        "audio__output_rate_hz": SPEAKER_HZ,
        "audio__silent_microphone_s": 0,
        "llm__provider": "openai",
        "llm__base_url": base_url,
        "llm__model": MODEL,
    }
    for key, value in {**fixed, **changes}.items():
        section, _, name = key.partition("__")
        if name in tree.get(section, {}):
            tree[section][name] = value
    return Settings.model_validate(tree)


@asynccontextmanager
async def open_stage(options: Options) -> AsyncIterator[Stage]:
    """Raises ``UsageError`` where the card's programs are missing."""
    if missing := missing_programs():
        raise UsageError(f"not installed: {', '.join(missing)} (`make system-test` installs them)")
    replies = lines("replies.txt")
    with (
        tempfile.TemporaryDirectory(prefix="earshot-bench-") as name,
        VirtualCard(SPEAKER_HZ, prompt=True) as card,
    ):
        folder = Path(name)
        async with open_model(replies[0]) as model, _voice(options, folder) as (settings, pid):
            recordings = Recordings(folder, options.settings)
            stage = Stage(options, settings, pid, card, model, recordings, folder, replies)
            with _ends_early(stage):
                yield stage


@asynccontextmanager
async def _voice(options: Options, folder: Path) -> AsyncIterator[tuple[Settings, int | None]]:
    if not options.over_wire:
        yield options.settings, None
        return
    async with served(options.settings, folder) as voice:
        yield voice.settings, voice.pid


@contextmanager
def _ends_early(stage: Stage) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM ends the part after the round, a second one ends all."""
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        stage.stopped = True
        for number in signals:
            loop.remove_signal_handler(number)

    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
