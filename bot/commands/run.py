"""``earshot run``: a scenario through the real bot, and a report of what happened."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.commands.common import Invocation, earshot_command
from speech.errors import UsageError

if TYPE_CHECKING:
    from bot.scenario.result import Result
    from bot.scenario.schema import Scenario
    from bot.senses import Senses

EXIT_FAILED = 1


@earshot_command(
    name="run",
    epilog="Examples:\n  earshot run tests/scenarios/first_turn.yaml --out out/first\n"
    "  earshot run my.yaml --out out/my --json | jq .turns",
)
@click.argument("files", metavar="FILE.yaml...", nargs=-1, required=True)
@click.option("--out", "out", metavar="DIR", required=True, help="Folder for the run's files.")
def command(invocation: Invocation, files: tuple[str, ...], out: str) -> int:
    """Play a scenario to the bot and check what it does.

    DIR gets mix.wav (left the user, right the bot), timeline.jsonl, result.json and
    report.html; of several scenarios each gets a folder of its own in it, and --json prints
    a list. Exit 0 passed, 1 failed, 2 a mistake in a file.
    """
    from bot.scenario.load import load_scenario

    folders = _folders(files, Path(out))
    scenarios = [load_scenario(file) for file in files]
    results: list[Result] = []

    def over(result: Result) -> None:
        results.append(result)
        if not invocation.json:
            from bot.scenario.show import show_result

            show_result(result)

    run_files(invocation, list(zip(scenarios, folders, strict=True)), over)
    if invocation.json:
        records = [result.to_json() for result in results]
        invocation.emit(records[0] if len(records) == 1 else records)
    return 0 if all(result.passed for result in results) else EXIT_FAILED


def _folders(files: Sequence[str], out: Path) -> list[Path]:
    """Where each scenario's files go."""
    if len(files) == 1:
        return [out]
    folders = [out / Path(file).stem for file in files]
    for index, folder in enumerate(folders):
        if folder in folders[:index]:
            raise UsageError(f"two scenarios are named {folder.name!r}: run them one by one")
    return folders


def run_files(
    invocation: Invocation, jobs: Sequence[tuple[Scenario, Path]], over: Callable[[Result], None]
) -> None:
    """Run each scenario into its folder, with the invocation's settings.

    Everything is checked before the first is run. ``over`` gets each result as it is there.
    """
    from bot.models import ensure_models
    from bot.scenario.outputs import prepare_folder
    from bot.scenario.overrides import check_replay, expected_settings
    from bot.scenario.render import check_files

    settings = [expected_settings(scenario, invocation.settings) for scenario, _ in jobs]
    for scenario, _ in jobs:
        check_files(scenario)
        check_replay(scenario)
    for _, folder in jobs:
        prepare_folder(folder)
    for each in settings:
        ensure_models(each, invocation.secrets)
    try:
        asyncio.run(_run(invocation, jobs, over))
    except KeyboardInterrupt:
        recorded = [str(folder) for _, folder in jobs if (folder / "result.json").is_file()]
        if recorded:
            _notify(f"stopped; what was recorded is in {', '.join(recorded)}")
        raise


async def _run(
    invocation: Invocation, jobs: Sequence[tuple[Scenario, Path]], over: Callable[[Result], None]
) -> None:
    """One after another; voice and ears are loaded anew only where the settings ask for others."""
    from bot.scenario.overrides import scenario_settings
    from bot.senses import Senses

    senses: Senses | None = None
    try:
        for scenario, folder in jobs:
            settings = scenario_settings(scenario, invocation.settings)
            if senses is None or not senses.serve(settings):
                if senses is not None:
                    await senses.aclose()
                _notify("Loading the voice and the ears …")
                senses = Senses(settings, _notify, invocation.secrets)
            over(await _run_one(invocation, scenario, folder, senses))
    finally:
        if senses is not None:
            await senses.aclose()


async def _run_one(
    invocation: Invocation, scenario: Scenario, folder: Path, senses: Senses
) -> Result:
    from bot.parts import open_parts
    from bot.scenario.overrides import replay_file, replayed, scenario_settings
    from bot.scenario.runner import run_scenario

    settings = scenario_settings(scenario, invocation.settings)
    replay = replay_file(scenario)

    def tell(line: str) -> None:
        # The replay is served on loopback: its address would pass for a configured model.
        _notify(f"LLM: a replay of {replay}" if replay and line.startswith("LLM: ") else line)

    async with (
        replayed(scenario, settings) as effective,
        open_parts(effective, invocation.secrets, notify=tell, senses=senses) as parts,
    ):
        progress = _notify if sys.stderr.isatty() else None
        return await run_scenario(
            scenario, effective, folder, parts, notify=_notify, progress=progress
        )


def _notify(line: str) -> None:
    click.echo(line, err=True)
