"""``earshot say``: a text, spoken."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import click
import numpy as np
from numpy.typing import NDArray

from bot.commands.common import Invocation, earshot_command
from bot.leaving import interrupt_leaves
from bot.models import sources_of, spinning, terminal_watch
from bot.voice import VOICES, build_voice, require_packages, voice_models
from speech.audio.write import ENDINGS, check_ending, write_audio
from speech.engine import SpeechEngine, Word
from speech.errors import DeviceError, EarshotError, UsageError
from speech.models.pull import ensure

STDOUT = "-"
MAX_INPUT_BYTES = 1_000_000
"""About twenty hours of speech; more on standard input is a mistake."""
NOTHING = "nothing in this text can be spoken: it has no letter or digit"


class Sink(Protocol):
    """Where speech goes."""

    async def write(self, samples: NDArray[np.int16]) -> None:
        """Take int16 mono samples; may wait."""
        ...

    async def finish(self) -> None:
        """Return when all of it has arrived."""
        ...

    def close(self) -> None:
        """Let go at once; idempotent."""
        ...


@dataclass
class Spoken:
    """What was synthesised; times in seconds since the text was handed to the engine."""

    sample_rate: int
    parts: list[NDArray[np.int16]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    samples: int = 0
    first_audio_s: float = 0.0
    total_s: float = 0.0

    def record(self, engine: str, voice: str, file: str | None) -> dict[str, Any]:
        """The JSON for machines."""
        return {
            "engine": engine,
            "voice": voice,
            "sample_rate": self.sample_rate,
            "audio_s": round(self.samples / self.sample_rate, 3),
            "first_audio_ms": round(self.first_audio_s * 1000, 1),
            "total_ms": round(self.total_s * 1000, 1),
            "words": [
                [word.text, self._seconds(word.start), self._seconds(word.end)]
                for word in self.words
            ],
            "file": file,
            "rss_mb": peak_memory_mb(),
        }

    def _seconds(self, sample: int) -> float:
        return round(sample / self.sample_rate, 3)


@earshot_command(
    name="say",
    epilog="Examples:\n  earshot say 'The train leaves at nine.' -o train.wav\n"
    "  earshot say 'Read this to me.' --voice bf_emma --speed 1.2\n"
    "  earshot say Hello --blend af_heart:0.7 --blend am_adam:0.3\n"
    "  date | earshot say\n  earshot say Hello -o - | aplay -f S16_LE -r 24000",
)
@click.argument("words", metavar="[TEXT]...", nargs=-1)
@click.option(
    "-o", "--output", metavar="FILE",
    help=f"Write a file ({', '.join(ENDINGS)}); - writes raw 16-bit samples to standard output.",
)  # fmt: skip
@click.option("--play", is_flag=True, help="Play it too when a file is written.")
@click.option("--voice", metavar="NAME", help="A voice; see --voices.  [default: tts.voice]")
@click.option(
    "--blend", metavar="NAME[:WEIGHT]", multiple=True,
    help="A voice of a mix, given once for each; the same as --voice NAME:WEIGHT+NAME:WEIGHT.",
)  # fmt: skip
@click.option("--speed", type=float, metavar="X", help="0.5 to 2.0.  [default: tts.speed]")
@click.option("--voices", "list_voices", is_flag=True, help="List the voices.")
def command(
    invocation: Invocation, words: tuple[str, ...], output: str | None, play: bool,
    voice: str | None, blend: tuple[str, ...], speed: float | None, list_voices: bool,
) -> None:  # fmt: skip
    """Speak TEXT on the sound card or into a file; - or nothing reads standard input.

    Text without a letter or digit cannot be spoken: exit 1, and no file is written.
    """
    settings = invocation.settings
    voice = _voice(voice, blend, settings.tts.voice)
    if not list_voices:
        _check_output(output, invocation.json)
    text = "" if list_voices else _read(words)
    require_packages(settings.tts)
    needed = [id for id in voice_models(settings.tts) if id == VOICES or not list_voices]
    with terminal_watch() as watch:
        ensure(needed, sources_of(settings), settings.models.dir, watch)
    engine = build_voice(settings, lambda line: click.echo(line, err=True), invocation.secrets)
    if list_voices:
        return _print_voices(invocation, engine)
    speed = settings.tts.speed if speed is None else speed
    plays = play or output is None
    saying = _say(invocation, engine, text, voice, speed, output, plays)
    spoken = asyncio.run(_until_interrupted(saying))
    _report(invocation, spoken, engine.name, voice, output)
    return None


def _voice(voice: str | None, blend: tuple[str, ...], default: str) -> str:
    if not blend:
        return default if voice is None else voice
    if voice is not None:
        raise UsageError("--voice and --blend both name the voice; choose one")
    return "+".join(blend)


def _check_output(output: str | None, as_json: bool) -> None:
    """Refuse before the model is loaded what would fail after it has spoken."""
    if output == STDOUT:
        if as_json:
            raise UsageError("-o - and --json both write to standard output; choose one")
        if sys.stdout.isatty():
            raise UsageError("-o - writes raw samples; send them to a program or a file")
    elif output == "":
        raise UsageError("-o names no file")
    elif output is not None:
        check_ending(Path(output))
        if not Path(output).absolute().parent.is_dir():
            raise UsageError(f"the folder of {output} does not exist; create it first")


def _read(words: tuple[str, ...]) -> str:
    text = " ".join(words) if words and words != (STDOUT,) else _read_stdin(bool(words))
    if not any(map(str.isalnum, text)):
        raise EarshotError(NOTHING)
    return text


def _read_stdin(asked: bool) -> str:
    if not asked and sys.stdin.isatty():
        raise UsageError("no text: give it in quotes, or send it to standard input")
    data = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise UsageError("the text on standard input is longer than 1 MB; send it in parts")
    return data.decode("utf-8", "replace")


def _print_voices(invocation: Invocation, engine: SpeechEngine) -> None:
    names = engine.voices() or asyncio.run(_asked_for_voices(engine))
    if invocation.json:
        invocation.emit({"engine": engine.name, "voices": names})
    else:
        click.echo("\n".join(names))


async def _asked_for_voices(engine: SpeechEngine) -> list[str]:
    """Those of a remote engine, which tells them when it is connected."""
    try:
        await engine.start()
        return engine.voices()
    finally:
        await engine.aclose()


async def _until_interrupted(saying: Coroutine[Any, Any, Spoken]) -> Spoken:
    with interrupt_leaves(lambda line: click.echo(line, err=True)):
        return await saying


async def _say(
    invocation: Invocation, engine: SpeechEngine, text: str, voice: str, speed: float,
    output: str | None, plays: bool,
) -> Spoken:  # fmt: skip
    sinks: list[Sink] = [_StdoutSink()] if output == STDOUT else []
    try:
        if plays:
            sinks.append(_open_speaker(invocation, engine.sample_rate))
        spoken = await _speak(engine, text, voice, speed, sinks)
        if not spoken.samples:
            raise EarshotError(NOTHING)
        if output not in (None, STDOUT):
            path = Path(str(output))
            samples = np.concatenate(spoken.parts)
            await asyncio.to_thread(write_audio, path, samples, spoken.sample_rate)
        for sink in sinks:
            await sink.finish()
    finally:
        for sink in sinks:
            sink.close()
        await engine.aclose()
    return spoken


async def _speak(
    engine: SpeechEngine, text: str, voice: str, speed: float, sinks: list[Sink]
) -> Spoken:
    spoken = Spoken(engine.sample_rate)
    with spinning("Getting the voice ready …"):
        session = await engine.open(voice, speed)
    begun = time.monotonic()
    async for chunk in session.speak("say", text):
        if not spoken.parts:
            spoken.first_audio_s = time.monotonic() - begun
        spoken.parts.append(chunk.samples)
        spoken.samples += len(chunk.samples)
        spoken.words += chunk.words
        for sink in sinks:
            await sink.write(chunk.samples)
    spoken.total_s = time.monotonic() - begun
    return spoken


def _open_speaker(invocation: Invocation, rate_hz: int) -> Sink:
    from bot.speaker import Speaker  # brings in pipecat, seconds that a file does not need

    try:
        return Speaker(invocation.settings.audio, rate_hz)
    except DeviceError as error:
        reason = str(error).partition(":")[0]
        raise DeviceError(
            f"cannot play: {reason}. Write a file instead: earshot say ... -o speech.wav"
        ) from error


def _report(
    invocation: Invocation, spoken: Spoken, engine: str, voice: str, output: str | None
) -> None:
    if invocation.json:
        invocation.emit(spoken.record(engine, voice, output))
    elif output not in (None, STDOUT):
        seconds = spoken.samples / spoken.sample_rate
        click.echo(f"{output}: {seconds:.1f} s, first audio after {spoken.first_audio_s:.2f} s")


def peak_memory_mb() -> float | None:
    """The most resident memory this process has had; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1_024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6, 1)


class _StdoutSink:
    """Raw samples to standard output, as they come."""

    async def write(self, samples: NDArray[np.int16]) -> None:
        await asyncio.to_thread(_write_stdout, samples.astype("<i2").tobytes())

    async def finish(self) -> None:
        pass

    def close(self) -> None:
        pass


def _write_stdout(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise  # whoever reads has what he wanted
    except OSError as error:
        raise EarshotError(f"cannot write to standard output: {error.strerror}") from error
