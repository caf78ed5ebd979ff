"""The settings of a scenario: the configuration's, changed by the file's ``set``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import ValidationError

from bot.config.keys import SHORTHANDS, Key, accepts, dotted, expected, leaves, sections, suggest
from bot.config.schema import Settings
from bot.llm.recording import read_replies
from bot.llm.replay import MODEL, ReplayServer
from bot.scenario.load import ScenarioError, find_file, line_of_setting
from bot.scenario.schema import Scenario

REPLAY: Key = ("llm", "replay")
"""The one key a scenario has and the configuration has not: a recorded token stream."""


def scenario_settings(scenario: Scenario, settings: Settings) -> Settings:
    """``settings`` with the scenario's ``set`` over them; raises ``ScenarioError``."""
    changed = settings.model_dump()
    for key, value in _leaves(scenario, scenario.settings, ()):
        if key != REPLAY:
            _put(changed, key, value)
    try:
        return Settings.model_validate(changed)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ScenarioError(f"{scenario.path}: set: {message}") from error


def replay_file(scenario: Scenario) -> str | None:
    """The recorded token stream the scenario names, as it names it."""
    found = [v for key, v in _leaves(scenario, scenario.settings, ()) if key == REPLAY]
    return str(found[-1]) if found else None


def check_replay(scenario: Scenario) -> None:
    """Raise where the recorded stream is missing or not one."""
    if name := replay_file(scenario):
        read_replies(find_file(name, scenario, "llm.replay"))


@asynccontextmanager
async def replayed(scenario: Scenario, settings: Settings) -> AsyncIterator[Settings]:
    """Settings whose model is the scenario's recorded stream; as they are without one."""
    name = replay_file(scenario)
    if name is None:
        yield settings
        return
    async with ReplayServer(find_file(name, scenario, "llm.replay")) as server:
        yield _asking(settings, server.base_url)


def expected_settings(scenario: Scenario, settings: Settings) -> Settings:
    """The settings a run will have, before a replay server exists: to fetch models by."""
    settings = scenario_settings(scenario, settings)
    return _asking(settings, "http://127.0.0.1/v1") if replay_file(scenario) else settings


def _asking(settings: Settings, base_url: str) -> Settings:
    endpoint = {"provider": "openai", "base_url": base_url, "model": MODEL}
    llm = settings.llm.model_copy(update=endpoint)
    return settings.model_copy(update={"llm": llm})


def _leaves(scenario: Scenario, tree: Mapping[str, Any], path: Key) -> Iterator[tuple[Key, Any]]:
    for name, value in tree.items():
        key = (*path, *str(name).split("."))
        if key in SHORTHANDS and isinstance(value, str):
            key = (*key, SHORTHANDS[key])
        if isinstance(value, Mapping) and key in sections():
            yield from _leaves(scenario, value, key)
        else:
            yield key, _checked(scenario, key, value)


def _checked(scenario: Scenario, key: Key, value: Any) -> Any:
    where = f"{line_of_setting(scenario.path, key)}: set.{dotted(key)}"
    if key == REPLAY:
        if not isinstance(value, str):
            raise ScenarioError(f"{where} is {value!r}, expected the name of a file")
        return value
    if key in sections():
        raise ScenarioError(f"{where} is a section: write its keys below it")
    if key not in leaves():
        raise ScenarioError(f"{where}: unknown key; {suggest(key)}")
    if not accepts(key, value):
        raise ScenarioError(f"{where} is {value!r}, expected {expected(key)}")
    return value


def _put(tree: dict[str, Any], key: Key, value: Any) -> None:
    for name in key[:-1]:
        tree = tree[name]
    tree[key[-1]] = value
