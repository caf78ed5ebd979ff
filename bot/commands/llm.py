"""``earshot llm``: which model answers, and recordings of its stream."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from bot.commands.common import Invocation, earshot_command
from speech.redact import without_password

command = click.Group(
    "llm",
    help="Say which language model answers; record its stream.",
    epilog="Example: earshot llm which",
)


@earshot_command(
    name="which",
    short_help="Say which model would answer, and why.",
    epilog="Example: earshot llm which --json",
)
def which(invocation: Invocation) -> None:
    """Look for a model as every command does, and print the choice; starts nothing."""
    from bot.llm.select import HOW_TO_CHANGE, choose  # loads the speech stack: not for --help

    endpoint = asyncio.run(choose(invocation.settings, invocation.secrets))
    if invocation.json:
        invocation.emit(
            {
                "kind": endpoint.kind,
                "base_url": without_password(endpoint.base_url) or None,
                "model": endpoint.model,
                "description": endpoint.description,
                "key": endpoint.key_name,
                "tools": endpoint.tools_ok,
            }
        )
        return
    click.echo(f"LLM: {endpoint.description}. {HOW_TO_CHANGE}")


@earshot_command(
    name="record",
    short_help="Record the model's answers with their arrival times.",
    epilog='Example: earshot llm record -o replies.jsonl "What is a tide?" "And a spring tide?"',
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True,
    metavar="FILE", help="JSON lines, one answer each.",
)  # fmt: skip
@click.argument("prompts", nargs=-1, required=True, metavar="PROMPT...")
def record(invocation: Invocation, output: Path, prompts: tuple[str, ...]) -> None:
    """Ask the configured model each PROMPT, in one conversation, and write when each piece came.

    A scenario can then be answered from the file, the same way each time.
    """
    from bot.llm.record import record_prompts  # loads the speech stack: not for --help

    replies = asyncio.run(
        record_prompts(
            invocation.settings,
            invocation.secrets,
            prompts,
            output,
            notify=lambda line: click.echo(line, err=True),
        )
    )
    if invocation.json:
        times = [reply.chunks[0][0] if reply.chunks else None for reply in replies]
        texts = [reply.text for reply in replies]
        invocation.emit({"file": str(output), "texts": texts, "first_token_s": times})
        return
    click.echo(f"{len(replies)} answers written to {output}")


command.add_command(which)
command.add_command(record)
