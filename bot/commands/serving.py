"""What the commands that serve share: lines for people, the address for machines, Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import click

from bot.commands.common import Invocation


def notify(line: str) -> None:
    """Tell the user, on standard error."""
    click.echo(line, err=True)


def run_server(invocation: Invocation, serve: Callable[..., Awaitable[None]], **more: Any) -> None:
    """Run ``serve`` until it ends; with ``--json`` its address is printed once it answers."""

    def ready(url: str) -> None:
        if invocation.json:
            invocation.emit({"url": url})

    async def run() -> None:
        await serve(invocation.settings, invocation.secrets, notify=notify, on_ready=ready, **more)

    asyncio.run(run())
