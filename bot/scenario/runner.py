"""Runs a scenario through the bot and writes what happened."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import platform
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from bot.config.schema import Settings
from bot.conversation import Conversation
from bot.parts import Parts
from bot.report.well_formed import well_formed
from bot.scenario.checks import Window, check
from bot.scenario.outputs import write_outputs
from bot.scenario.overrides import replay_file
from bot.scenario.player import Player, Spoken
from bot.scenario.render import Rendered, render_turns
from bot.scenario.response import transcribe_replies, wants_response
from bot.scenario.result import Result
from bot.scenario.schema import Scenario
from bot.scenario.turns import read_timeline
from speech.errors import EarshotError
from speech.hearing.recogniser import Recogniser
from speech.text_clean import json_text
from speech.timeline import Timeline, TimelineEvent
from transports.script import ScriptParams, ScriptTransport

END_DEADLINE_S = 5.0
"""What the bot may take to end; afterwards its task is cancelled."""

_PACKAGES = ("earshot", "pipecat-ai", "faster-whisper", "kokoro-onnx", "onnxruntime", "numpy")

Notify = Callable[[str], None]


class Talk(Protocol):
    """What the runner needs of ``bot.conversation.Conversation``."""

    async def run(self) -> None: ...
    async def end(self, *, goodbye: bool = True) -> None: ...
    async def cancel(self) -> None: ...
    @property
    def messages(self) -> list[Any]: ...


OpenTalk = Callable[[ScriptTransport, Timeline], Talk]


async def run_scenario(
    scenario: Scenario,
    settings: Settings,
    out_dir: Path,
    parts: Parts,
    *,
    notify: Notify | None = None,
    progress: Notify | None = None,
) -> Result:
    """Play ``scenario`` to the bot and write ``out_dir``; ``progress`` hears of each turn.

    Never takes longer than the scenario's ``timeout`` and some seconds. Cancelling ends
    the bot, writes what there is, and is passed on. Raises ``EarshotError`` for sound files
    or voices that are not there, and for an output folder that cannot be written.
    """
    rate_hz = settings.audio.input_rate_hz
    notices: list[str] = []
    clips = await render_turns(scenario, parts.engine, rate_hz, warn=notices.append)
    for notice in notices:
        if notify is not None:
            notify(notice)

    def open_talk(transport: ScriptTransport, timeline: Timeline) -> Talk:
        if progress is not None:
            timeline.subscribe(partial(_tell, scenario, progress))
        return Conversation(parts, transport, timeline, greet=scenario.greet, echo_path=False)

    name = replay_file(scenario)
    llm = f"a replay of {name}" if name else parts.llm.description
    environment = describe_environment(settings, llm)
    run = ScenarioRun(scenario, settings, clips, environment, notices, parts.recogniser)
    return await run.run(open_talk, out_dir)


class ScenarioRun:
    """One run: the bot and its scripted user, side by side, until either is done."""

    def __init__(
        self,
        scenario: Scenario,
        settings: Settings,
        clips: Sequence[Rendered],
        environment: dict[str, Any],
        notices: Sequence[str] = (),
        recogniser: Recogniser | None = None,
    ) -> None:
        audio = settings.audio
        self._scenario = scenario
        self._rate_hz = audio.input_rate_hz
        self._environment = environment
        self._notices = list(notices)
        self._recogniser = recogniser if wants_response(scenario) else None
        self._timeline = Timeline()
        self._transport = ScriptTransport(
            ScriptParams(
                input_rate_hz=audio.input_rate_hz,
                output_rate_hz=audio.output_rate_hz,
                max_s=scenario.timeout + END_DEADLINE_S,
            ),
            self._timeline,
        )
        self._player = Player(scenario, clips, self._transport, self._timeline)
        self._problems: list[str] = []

    async def run(self, open_talk: OpenTalk, out_dir: Path) -> Result:
        """See ``run_scenario``."""
        ended = "stopped"
        talk = open_talk(self._transport, self._timeline)
        try:
            ended = await self._play(talk)
            await self._listen_again()
        finally:
            result = self._result(ended, talk.messages, out_dir)
        return result

    async def _play(self, talk: Talk) -> str:
        bot = asyncio.create_task(talk.run(), name="scenario bot")
        user = asyncio.create_task(self._player.play(self._rate_hz), name="scenario user")
        try:
            done, _ = await asyncio.wait(
                (bot, user),
                timeout=self._scenario.timeout,
                return_when=asyncio.FIRST_COMPLETED,
            )
            return self._ending(done, bot, user)
        finally:
            user.cancel()
            await asyncio.shield(self._end(talk, bot))

    async def _listen_again(self) -> None:
        if self._recogniser is not None:
            problem = await transcribe_replies(self._transport, self._timeline, self._recogniser)
            self._problems += [problem] if problem else []

    def _ending(
        self, done: set[asyncio.Task[None]], bot: asyncio.Task[None], user: asyncio.Task[None]
    ) -> str:
        if not done:
            self._problems.append(f"not over after {self._scenario.timeout:g} s (timeout)")
            return "timeout"
        if user in done:
            user.result()
            return "finished"
        error = bot.exception()
        if isinstance(error, EarshotError):
            self._problems.append(str(error))
        elif error is not None:
            raise error
        else:
            self._problems.append("the bot ended the conversation before the scenario was over")
        return "failed"

    @staticmethod
    async def _end(talk: Talk, bot: asyncio.Task[None]) -> None:
        if not bot.done():
            ending = asyncio.create_task(talk.end(goodbye=False), name="scenario end")
            await asyncio.wait((bot,), timeout=END_DEADLINE_S)
            ending.cancel()
            bot.cancel()
            await asyncio.wait((bot, ending), timeout=END_DEADLINE_S)

    def _result(self, ended: str, messages: Sequence[Any], out_dir: Path) -> Result:
        self._transport.mark_heard()
        events = [_well_formed(event) for event in self._timeline.events]
        recording = self._transport.recording
        errors = _errors(self._scenario, events)
        spoken = self._player.spoken
        conversation = read_timeline(events, [s.speech for s in spoken if s.speech])
        seen = windows(self._scenario, spoken)
        context = json_text(messages, default=str)
        result = Result(
            name=self._scenario.name,
            description=self._scenario.description,
            ended=ended,
            origin=recording.origin,
            duration_s=recording.duration_s,
            conversation=conversation,
            checks=check(self._scenario, seen, events, conversation, context),
            problems=[*map(well_formed, self._problems), *self._player.missed, *errors],
            notices=[*self._notices, *self._holes()],
            environment=self._environment,
        )
        return write_outputs(out_dir, result, recording, events)

    def _holes(self) -> list[str]:
        count, seconds = self._transport.holes
        text = f"the voice did not keep up: {count} holes in its audio, {seconds:.2f} s in all"
        return [text] if count else []


def _tell(scenario: Scenario, progress: Notify, event: TimelineEvent) -> None:
    """A line for each turn as it begins."""
    if event.name == "note" and event.fields.get("what") == "user_audio":
        index = int(event.fields["turn"])
        said = scenario.turns[index].said or "(sound)"
        progress(f"turn {index + 1} of {len(scenario.turns)}: {said}")


def _well_formed(event: TimelineEvent) -> TimelineEvent:
    """A model may send half a surrogate pair, which no file and no terminal takes."""
    fields = {k: well_formed(v) if isinstance(v, str) else v for k, v in event.fields.items()}
    return dataclasses.replace(event, fields=fields)


def _errors(scenario: Scenario, events: Sequence[TimelineEvent]) -> list[str]:
    """Errors of the bot, each once; none where the scenario itself expects something of them."""
    expected = [*scenario.expect, *(e for turn in scenario.turns for e in turn.expect)]
    if any(expectation.event == "error" for expectation in expected):
        return []
    texts = [str(event.fields.get("text", "error")) for event in events if event.name == "error"]
    return list(dict.fromkeys(texts))


def windows(scenario: Scenario, spoken: Sequence[Spoken]) -> list[Window]:
    """For each turn that was played: from its first sample to the next turn's."""
    starts = [turn.start for turn in spoken[1:]]
    ends = [*starts, float("inf")]
    return [
        Window(turn.start, turn.speech[1] if turn.speech else turn.end, end, script.said, index + 1)
        for index, (turn, end, script) in enumerate(zip(spoken, ends, scenario.turns, strict=False))
    ]


def describe_environment(settings: Settings, llm: str) -> dict[str, Any]:
    """The machine, the versions and the models, without names of people or hosts."""
    return {
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count() or 1} cores",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "stt": settings.stt.model,
        "llm": llm,
        "voice": f"{settings.tts.engine} {settings.tts.voice}",
        "vad": settings.vad.kind,
        "turn_end": settings.turn.end,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
