"""A run always ends and always leaves its files: finished, out of time, stopped, or failed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pipecat.frames.frames import BotStoppedSpeakingFrame

from bot.config.loader import load
from bot.scenario.render import Rendered
from bot.scenario.result import Result
from bot.scenario.runner import ScenarioRun
from bot.scenario.schema import Scenario
from speech.errors import EarshotError
from speech.timeline import Timeline
from tests.transports.rig import Rig, running
from transports.script import ScriptTransport

FILES = {"mix.wav", "timeline.jsonl", "result.json", "report.html"}
SETTINGS = load(None, environ={}).settings


class FakeTalk:
    """A bot without ears or mind: a real pipeline of the transport, and what ``act`` does."""

    def __init__(self, transport: ScriptTransport, act: Callable[[FakeTalk], Awaitable[None]]):
        self.transport = transport
        self.rig: Rig | None = None
        self.messages: list[Any] = [{"role": "user", "content": "hello"}]
        self._act = act
        self._over = asyncio.Event()

    async def run(self) -> None:
        async with running(self.transport) as self.rig:
            await self._act(self)
            await self._over.wait()

    async def end(self, *, goodbye: bool = True) -> None:
        self._over.set()

    async def cancel(self) -> None:
        self._over.set()


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def nothing(_: FakeTalk) -> None:
    """Say nothing."""


def run_of(act: Callable[[FakeTalk], Awaitable[None]], out: Path, **keys: Any) -> Awaitable[Result]:
    turn = {"silence": "0.2 s", "at": "0.1 s"}
    keys = {"name": "x", "turns": [turn], "tail": 0.1, "greet": False} | keys
    scenario = Scenario.model_validate(keys)
    clips = [Rendered(np.zeros(3_200, np.int16), None)] * len(scenario.turns)

    def open_talk(transport: ScriptTransport, _timeline: Timeline) -> FakeTalk:
        return FakeTalk(transport, act)

    return ScenarioRun(scenario, SETTINGS, clips, {"machine": "test"}).run(open_talk, out)


async def test_a_run_to_its_end_leaves_its_files(tmp_path: Path) -> None:
    result = await run_of(nothing, tmp_path / "out", expect=[{"turns": 0}])
    assert result.passed
    assert names_in(tmp_path / "out") == FILES
    record = json.loads((tmp_path / "out" / "result.json").read_text())
    assert record == result.to_json()
    assert set(record) >= {"passed", "turns", "interruptions", "checks", "files"}
    assert {Path(file).name for file in record["files"].values()} == FILES


async def test_what_the_bot_says_is_in_the_record(tmp_path: Path) -> None:
    async def speak(talk: FakeTalk) -> None:
        assert talk.rig is not None
        await talk.rig.say(np.tile([5_000, -5_000], 2_400).astype(np.int16), "r1")
        played = talk.rig.played
        await played.until(lambda: bool(played.of(BotStoppedSpeakingFrame)))

    await run_of(speak, tmp_path, expect=[{"event": "audible"}])
    names = [json.loads(line)["name"] for line in (tmp_path / "timeline.jsonl").open()]
    assert [n for n in names if n in ("scheduled", "audible")] == ["scheduled", "audible"]


async def test_a_bot_that_never_answers_runs_out_of_time(tmp_path: Path) -> None:
    turns = [{"silence": "0.2 s"}, {"silence": "0.2 s", "after": "bot_started"}]
    result = await run_of(nothing, tmp_path, turns=turns, timeout=0.5, wait=60)
    assert (result.ended, result.passed) == ("timeout", False)
    assert "not over after 0.5 s" in result.problems[0]
    assert (tmp_path / "report.html").is_file()


async def test_an_event_that_does_not_come_is_a_problem_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    turns = [{"silence": "0.2 s"}, {"silence": "0.2 s", "after": "bot_started"}]
    result = await run_of(nothing, tmp_path, turns=turns, wait=0.3)
    assert result.ended == "finished"
    assert result.problems == ["turn 2 waited 0.3 s for bot_started, which did not come"]
    assert not result.passed


async def test_a_bot_that_fails_says_why_and_leaves_its_files(tmp_path: Path) -> None:
    async def fail(_: FakeTalk) -> None:
        raise EarshotError("the voice is gone; start again")

    result = await run_of(fail, tmp_path)
    assert (result.ended, result.problems) == ("failed", ["the voice is gone; start again"])
    assert (tmp_path / "report.html").is_file()


async def test_half_a_surrogate_pair_costs_no_file(tmp_path: Path) -> None:
    async def fail(_: FakeTalk) -> None:
        raise EarshotError("no tool \ud83d")

    result = await run_of(fail, tmp_path)
    assert result.problems == ["no tool \ufffd"]
    assert names_in(tmp_path) == FILES


async def test_a_bot_that_hangs_up_early_has_failed(tmp_path: Path) -> None:
    result = await run_of(lambda talk: talk.end(), tmp_path)
    assert result.ended == "failed"
    assert "before the scenario was over" in result.problems[0]


async def test_ctrl_c_ends_the_bot_and_keeps_what_there_is(tmp_path: Path) -> None:
    speaking = asyncio.Event()

    async def say_so(_: FakeTalk) -> None:
        speaking.set()

    turns = [{"silence": "0.2 s", "at": "50 s"}]
    run = asyncio.ensure_future(run_of(say_so, tmp_path, turns=turns))
    await speaking.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    record = json.loads((tmp_path / "result.json").read_text())
    assert (record["ended"], record["passed"]) == ("stopped", False)
    assert names_in(tmp_path) == FILES


async def test_a_bot_that_does_not_end_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.scenario.runner.END_DEADLINE_S", 0.2)

    class FakeStubborn(FakeTalk):
        async def end(self, *, goodbye: bool = True) -> None:
            await asyncio.Event().wait()

    scenario = Scenario.model_validate(
        {"name": "x", "turns": [{"silence": "0.1 s"}], "tail": 0.1, "greet": False}
    )
    clips = [Rendered(np.zeros(1_600, np.int16), None)]
    run = ScenarioRun(scenario, SETTINGS, clips, {})
    result = await run.run(lambda transport, _: FakeStubborn(transport, nothing), tmp_path)
    assert result.ended == "finished"


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EarshotError, match="cannot write"):
        await run_of(nothing, tmp_path / "file" / "out")
