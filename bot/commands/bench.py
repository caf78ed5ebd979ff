"""``earshot bench``: what is fast, measured on this machine."""

from __future__ import annotations

import importlib

import click

from bench import BENCHES
from bot.commands.common import Invocation, earshot_command
from speech.errors import UsageError

OVER_WIRE = ("bargein", "load")


@earshot_command(
    name="bench",
    epilog="Examples:\n  earshot bench tts\n  earshot bench tts --json > tts.json\n"
    "  earshot bench tts --only first-audio,cancel --rounds 7\n"
    "  earshot bench split --only earshot,pipecat --misses 5\n"
    "  earshot bench bargein --only cuts --json > cuts.json\n"
    "  earshot bench bargein --only cuts,cpu --over-wire\n"
    "  earshot bench load --json > load.json\n"
    "  earshot bench load --over-wire --only ours,overload",
)
@click.argument("name", type=click.Choice(list(BENCHES)))
@click.option(
    "--rounds", type=click.IntRange(min=1), metavar="N", default=5, show_default=True,
    help="Rounds of every measurement.",
)  # fmt: skip
@click.option("--quick", is_flag=True, help="One round with few texts, to see that it works.")
@click.option(
    "--only",
    metavar="PART[,PART]",
    default="",
    help="Some of its parts only; they are named above.",
)
@click.option(
    "--threads", type=click.IntRange(min=0), metavar="N", default=0,
    help="Threads of every engine.  [default: tts.threads, else every core]",
)  # fmt: skip
@click.option("--fast", is_flag=True, help="Measure tts.precision=fast too.")
@click.option("--peer-spinning", is_flag=True, help="Let idle threads of the peers spin.")
@click.option(
    "--misses", type=click.IntRange(min=0), metavar="N", default=0,
    help="Show N wrongly cut replies of each contestant (split).",
)  # fmt: skip
@click.option(
    "--slo-ms", type=click.IntRange(min=1), metavar="MS", default=1000, show_default=True,
    help="First audio, p95, within which a session counts as held (load).",
)  # fmt: skip
@click.option(
    "--over-wire", is_flag=True,
    help="Put the voice behind a speech server of its own (bargein, load).",
)  # fmt: skip
def command(
    invocation: Invocation, name: str, rounds: int, quick: bool, only: str, threads: int,
    fast: bool, peer_spinning: bool, misses: int, slo_ms: int, over_wire: bool,
) -> None:  # fmt: skip
    """Measure on this machine; leave the machine alone meanwhile.

    \b
    tts    the voice, beside kokoro-onnx and pipecat's service
           parts: first-audio, gaps, cancel, quality, memory
    split  how streamed replies are cut into units, by us and by others
           parts: earshot, pipecat, livekit, livekit_short, stream2sentence,
           stream2sentence_short, blingfire, pysbd, punkt
    bargein  interruptions, echo and noises on a virtual sound card, ours beside pipecat's own
           parts: cuts, noises, cpu, plain, echo, guard (2 to 15 minutes each);
           a round is 10 cuts, 8 noises, 2 minutes of echo
    load   how many conversations are spoken without a gap, beside one lock and whole units
           parts: ours, one-lock, overload; a round is 12 s at each number of sessions
    """
    from bench.options import Options
    from bench.progress import terminal_progress

    if over_wire and name not in OVER_WIRE:
        raise UsageError(f"--over-wire is for {' and '.join(OVER_WIRE)}, not for {name}")
    bench = importlib.import_module(BENCHES[name])
    wanted = [part.strip() for part in only.split(",") if part.strip()]
    with terminal_progress() as progress:
        options = Options(
            invocation.settings, rounds=rounds, quick=quick, fast=fast,
            peer_spinning=peer_spinning, only=wanted, threads=threads, misses=misses,
            slo_ms=slo_ms, over_wire=over_wire, progress=progress,
        )  # fmt: skip
        record = bench.run(options)
    if invocation.json:
        invocation.emit(record)
    else:
        click.echo("\n".join(bench.summary(record)))
