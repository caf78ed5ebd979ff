"""Everything a part of the benchmark measures with."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.options import Options, Progress
from bench.tts.contestant import Contestant
from bench.tts.ours import Ours, open_ours
from bench.tts.peer_kokoro_onnx import PeerFiles, open_kokoro_onnx, write_voices
from bench.tts.texts import LENGTHS, QUICK_LENGTHS, Text, choose, phoneme_counter, read_lines
from bot.config.schema import Settings
from bot.voice import KOKORO, VOICES
from speech.errors import UsageError
from speech.kokoro.languages import language_of
from speech.kokoro.voices import load_voice
from speech.models.store import model_dir

TEXTS_PER_LENGTH = 3
_ENGLISH = ("en-us", "en-gb")


@dataclass(frozen=True)
class Stage:
    """Options, texts, files; engines are opened by the part that needs them."""

    options: Options
    texts: list[Text]
    files: PeerFiles

    @property
    def progress(self) -> Progress:
        return self.options.progress

    @property
    def rounds(self) -> int:
        return self.options.effective_rounds

    @property
    def lengths(self) -> list[int]:
        """The lengths there are texts of, shortest first."""
        return list(dict.fromkeys(text.length for text in self.texts))

    def texts_of(self, length: int) -> list[Text]:
        """The texts that stand for this length."""
        return [text for text in self.texts if text.length == length]

    @asynccontextmanager
    async def ours(self, precision: str | None = None) -> AsyncIterator[Ours]:
        """Our engine, warm, in the configured precision or this one."""
        async with open_ours(self.options, precision) as ours:
            yield ours

    @asynccontextmanager
    async def peers(self) -> AsyncIterator[list[Contestant]]:
        """The others, loaded. They fetch nothing."""
        # pipecat is imported only where it is measured: it would weigh on the memory figures.
        from bench.tts.peer_pipecat import open_pipecat

        async with AsyncExitStack() as stack:
            library = await stack.enter_async_context(open_kokoro_onnx(self.files))
            pipecat = await stack.enter_async_context(open_pipecat(self.files))
            yield [library, pipecat]


@asynccontextmanager
async def open_stage(options: Options) -> AsyncIterator[Stage]:
    """Texts chosen and the peers' files written; these go away with it.

    Raises ``UsageError`` for a voice that does not speak English, ``ModelFileError``.
    """
    many, lengths = (1, QUICK_LENGTHS) if options.quick else (TEXTS_PER_LENGTH, LENGTHS)
    texts = choose(read_lines("texts.txt"), phoneme_counter(), many, lengths)
    with tempfile.TemporaryDirectory(prefix="earshot-bench-") as folder:
        yield Stage(options, texts, _peer_files(options, Path(folder)))


def _peer_files(options: Options, folder: Path) -> PeerFiles:
    name = options.settings.tts.voice
    language = language_of(name)
    if language not in _ENGLISH:
        raise UsageError(f"tts.voice is {name}, and the texts are English; take af_heart")
    model, voices = model_paths(options.settings)
    archive = write_voices(folder / "voices.npz", name, load_voice(voices, name))
    return PeerFiles(
        model, archive, name, language, options.effective_threads, options.peer_spinning
    )


def model_paths(settings: Settings) -> tuple[Path, Path]:
    """Kokoro's model file and the folder of voices, as the configured engine gets them."""
    model, voices = (model_dir(model_id, settings.models.dir) for model_id in (KOKORO, VOICES))
    return model / "model.onnx", voices
