"""Guards: ``end`` and ``cancel`` bring ``run`` back, whatever the conversation is doing.

Peers hang for ever and phrases last minutes, so a wait that has no limit fails by
``stage.PATIENCE_S`` and not by a race against the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.core.stage import PATIENCE_S, Stage, stage
from tests.llm.fake_server import SILENT, FakeReply, call, finish, says

MINUTE = " ".join(["word"] * 600)
GREETED, LONG_GOODBYE = "Hello. ", {"bot": {"goodbye": MINUTE}}
TOOL = "tests.core.waiting_tool:wait_for_ever"

Act = Callable[[Stage], Awaitable[None]]


async def idle(scene: Stage) -> None:
    await scene.until_event("bot_stopped")


async def greeting(scene: Stage) -> None:
    await scene.until_event("heard_text")


async def model_stalled(scene: Stage) -> None:
    await idle(scene)
    await scene.hear("Well?")
    await scene.until_asked()


async def voice_mid_unit(scene: Stage) -> None:
    await idle(scene)
    scene.engine.gate.clear()
    await scene.hear("Well?")
    await scene.until_event("synthesis_start", 2)


async def answering(scene: Stage) -> None:
    await idle(scene)
    await scene.hear("Well?")
    await scene.until(lambda: "one" in scene.heard)


async def tool_running(scene: Stage) -> None:
    await idle(scene)
    await scene.hear("Well?")
    await scene.until_event("tool_call")


async def recogniser_slow(scene: Stage) -> None:
    await idle(scene)
    scene.recogniser.gate.clear()
    await scene.speak()


CALLING = FakeReply([call("wait_for_ever", "{}"), finish("tool_calls")])

STATES = [
    pytest.param(idle, says("Yes."), {}, id="idle"),
    pytest.param(greeting, says("Yes."), {"bot": {"greeting": MINUTE}}, id="greeting"),
    pytest.param(model_stalled, SILENT, {}, id="model stalled"),
    pytest.param(voice_mid_unit, says("One two three."), {}, id="voice in mid unit"),
    pytest.param(answering, says(f"one two {MINUTE}."), {}, id="answering"),
    pytest.param(tool_running, CALLING, {"tools": (TOOL,)}, id="tool running"),
    pytest.param(recogniser_slow, says("Yes."), {}, id="recogniser slow"),
]


@pytest.mark.parametrize(("state", "reply", "options"), STATES)
async def test_the_goodbye_is_the_last_that_is_heard(
    state: Act, reply: FakeReply, options: dict[str, Any]
) -> None:
    async with stage(reply, **options) as scene:
        scene.start()
        await state(scene)
        asked = len(scene.server.requests)
        await scene.end()
        assert scene.heard.endswith("Goodbye. ")
        assert len(scene.heard.split()) < 60
        assert len(scene.server.requests) == asked


@pytest.mark.parametrize(("state", "reply", "options"), STATES)
async def test_cancel_says_no_goodbye(
    state: Act, reply: FakeReply, options: dict[str, Any]
) -> None:
    async with stage(reply, **options) as scene:
        scene.start()
        await state(scene)
        await scene.cancel()
        assert "Goodbye" not in scene.heard


@pytest.mark.parametrize("goodbye", [True, False])
async def test_no_goodbye_where_none_is_wanted(goodbye: bool) -> None:
    async with stage() as scene:
        scene.start()
        await idle(scene)
        await scene.end(goodbye=goodbye)
        assert scene.heard == ("Hello. Goodbye. " if goodbye else "Hello. ")


async def test_a_goodbye_that_does_not_fit_is_cut_off() -> None:
    async with stage(**LONG_GOODBYE) as scene:
        scene.start()
        await idle(scene)
        await scene.end()
        assert scene.heard.startswith("Hello. word ")
        assert len(scene.heard.split()) < 60


async def test_the_time_to_end_in_counts_from_the_key_not_from_the_loop() -> None:
    async with stage(**LONG_GOODBYE) as scene:
        scene.start()
        await idle(scene)
        async with asyncio.timeout(PATIENCE_S):
            await scene.conversation._end(asyncio.get_running_loop().time() - 60)
        await scene.ended()
        assert len(scene.heard.split()) < 5


async def test_a_second_wish_cuts_the_goodbye_at_once() -> None:
    async with stage(**LONG_GOODBYE) as scene:
        scene.start()
        await idle(scene)
        goodbye = asyncio.create_task(scene.end())
        await scene.until_event("bot_started", 2)
        await scene.cancel()
        await goodbye
        assert len(scene.heard.split()) < 60


async def test_nothing_is_said_or_answered_after_the_wish_to_end() -> None:
    async with stage(bot={"goodbye": " ".join(["bye"] * 5)}) as scene:
        scene.start()
        await idle(scene)
        goodbye = asyncio.create_task(scene.end())
        await scene.until_event("bot_started", 2)
        await scene.hear("One more thing.")
        await scene.conversation.say("The timer is over.")
        await goodbye
        assert scene.heard == "Hello. bye bye bye bye bye "
        assert scene.server.requests == []
        assert all(message["role"] != "user" for message in scene.conversation.messages)


async def test_words_recognised_after_the_wish_start_no_turn() -> None:
    async with stage(bot={"goodbye": " ".join(["bye"] * 5)}) as scene:
        scene.start()
        await recogniser_slow(scene)
        turns = len(scene.named("user_started"))
        goodbye = asyncio.create_task(scene.end())
        await scene.until_event("bot_started", 2)
        scene.recogniser.gate.set()
        await goodbye
        assert scene.server.requests == []
        assert len(scene.named("user_started")) == turns


async def test_before_the_start_nothing_is_run_or_said() -> None:
    for wish in ("end", "cancel"):
        async with stage() as scene:
            await getattr(scene.conversation, wish)()
            scene.start()
            await scene.ended()
            assert scene.heard == ""
            marked = [event.name for event in scene.timeline.events if event.name != "queue"]
            assert marked == ["session_end"]


@pytest.mark.parametrize("wish", ["end", "cancel"])
@pytest.mark.parametrize("turns_of_the_loop", [0, 1, 5, 25])
async def test_during_the_start(wish: str, turns_of_the_loop: int) -> None:
    async with stage() as scene:
        scene.start()
        for _ in range(turns_of_the_loop):
            await asyncio.sleep(0)
        await getattr(scene, wish)()
        assert scene.heard in ("", "Goodbye. ")


@pytest.mark.parametrize("wish", ["end", "cancel"])
async def test_a_client_that_is_not_there_is_not_said_goodbye_to(wish: str) -> None:
    async with stage(wait_for_client=True) as scene:
        scene.start()
        await scene.transport.started()
        await getattr(scene, wish)()
        scene.conversation.client_ready()
        assert scene.heard == ""
        assert scene.named("session_start") == []


async def test_again_and_after_the_end() -> None:
    async with stage() as scene:
        scene.start()
        await idle(scene)
        await asyncio.gather(scene.end(), scene.end(), scene.cancel(), scene.cancel())
        await scene.end()
        await scene.cancel()
        assert len(scene.named("session_end")) == 1


@pytest.mark.parametrize("wish", ["end", "cancel"])
@pytest.mark.parametrize("hook", ["setup", "start", "stop", "cancel", "cleanup"])
async def test_a_transport_that_hangs_is_abandoned(hook: str, wish: str) -> None:
    async with stage() as scene:
        others_closed = asyncio.Event()
        _hang(scene.transport.output(), hook)
        _tell(scene.transport.input(), "cleanup", others_closed)
        scene.start()
        await (asyncio.sleep(0.1) if hook in ("setup", "start") else idle(scene))
        await getattr(scene, wish)()
        assert others_closed.is_set()
        assert _left_over() == []


async def test_cancelling_the_task_that_runs_it_ends_it_too() -> None:
    async with stage(bot={"greeting": MINUTE}) as scene:
        _hang(scene.transport.output(), "cancel")
        scene.start()
        await greeting(scene)
        scene.run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await scene.ended()
        assert len(scene.named("session_end")) == 1
        assert _left_over() == []


def _hang(processor: Any, hook: str) -> None:
    async def hang(*_: object) -> None:
        await asyncio.Event().wait()

    setattr(processor, hook, hang)


def _tell(processor: Any, hook: str, called: asyncio.Event) -> None:
    real = getattr(processor, hook)

    async def tell(*arguments: object) -> None:
        called.set()
        await real(*arguments)

    setattr(processor, hook, tell)


def _left_over() -> list[str]:
    """The conversation's tasks that still run; the fakes' own are not counted."""
    names = [task.get_name() for task in asyncio.all_tasks() if not task.done()]
    return [name for name in names if "::" in name or name in ("pipeline", "greeting")]
